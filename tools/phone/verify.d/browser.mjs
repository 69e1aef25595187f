// Drives Chromium by its DevTools protocol, through a pipe, so that no port is open and no package is
// needed; and a proxy between it and the page, whose network can be lost.
import { spawn } from "node:child_process";
import http from "node:http";
import net from "node:net";

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/// Waits until something holds; says what was waited for if it does not.
export async function until(what, seconds, holds) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}

export class Browser {
  constructor(program, profile, film, proxyPort) {
    this.child = spawn(program, [
      "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--ignore-certificate-errors", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
      `--use-file-for-fake-video-capture=${film}`, `--user-data-dir=${profile}`,
      ...proxyPort ? [`--proxy-server=127.0.0.1:${proxyPort}`, "--proxy-bypass-list=<-loopback>"] : [],
      "about:blank",
    ], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
    this.child.stderr.resume();
    this.waiting = new Map();
    this.listeners = [];
    this.count = 0;
    let rest = "";
    this.child.stdio[4].setEncoding("utf8");
    this.child.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.take(JSON.parse(message)));
    });
    const ended = () => {
      for (const { reject } of this.waiting.values()) reject(new Error("the browser has ended"));
    };
    this.child.on("exit", ended);
    this.child.stdio[3].on("error", ended);
  }

  take(message) {
    const asked = this.waiting.get(message.id);
    if (!asked) return this.listeners.forEach((listener) => listener(message));
    this.waiting.delete(message.id);
    if (message.error) asked.reject(new Error(message.error.message));
    else asked.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.count;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(url, language = "en") {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    await Promise.all(["Page", "Runtime", "DOM", "Network", "Log"].map((part) => page.send(`${part}.enable`)));
    const { userAgent } = await this.send("Browser.getVersion");
    await page.send("Network.setUserAgentOverride", { userAgent, acceptLanguage: language });
    await page.size(360, 740);
    await page.go(url);
    return page;
  }

  end() {
    this.child.kill();
  }
}

export class Page {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId, errors: [] });
    browser.listeners.push(({ sessionId: of, method, params }) => {
      if (of !== sessionId) return;
      if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      // A policy that something broke, not an answer that was 404.
      if (method === "Log.entryAdded" && params.entry.source === "security") this.errors.push(params.entry.text);
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  async go(url) {
    await this.send("Page.navigate", { url });
    await until(`${url} is there`, 30, () => this.value(`document.readyState === 'complete' && (location.href !== 'about:blank' || ${url === "about:blank"})`));
  }

  async value(expression) {
    const wish = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", wish);
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value;
  }

  size(width, height) {
    return this.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: width < 1000 ? 2 : 1, mobile: width < 1000,
      screenOrientation: width < height ? { type: "portraitPrimary", angle: 0 } : { type: "landscapePrimary", angle: 90 },
    });
  }

  dark(isDark) {
    const features = [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }];
    return this.send("Emulation.setEmulatedMedia", { features });
  }

  /// Presses the middle of an element, as a finger does.
  async press(selector) {
    const at = await this.value(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "center" });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
    }
  }

  /// Presses a key by its name, such as Enter.
  async key(key) {
    const windowsVirtualKeyCode = { Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowRight: 39 }[key];
    const text = key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, code: key, windowsVirtualKeyCode, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode });
  }

  async choose(selector, file) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [file] });
  }

  async picture() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}

/// A network that can be lost: all connections end, and none comes about.
export class Network {
  constructor() {
    this.sockets = new Set();
    this.isLost = false;
    this.server = http.createServer((request, answer) => {
      if (this.isLost) return request.socket.destroy();
      const { method, url, headers } = request;
      const onwards = http.request(url, { method, headers }, (from) => {
        answer.writeHead(from.statusCode, from.headers);
        from.pipe(answer);
      });
      onwards.on("error", () => request.socket.destroy());
      request.pipe(onwards);
    });
    this.server.on("connect", (request, socket) => {
      if (this.isLost) return socket.destroy();
      const { hostname, port } = new URL(`http://${request.url}`);
      const onwards = net.connect(Number(port), hostname.replace(/[[\]]/g, ""), () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onwards.pipe(socket).pipe(onwards);
      });
      for (const [one, other] of [[socket, onwards], [onwards, socket]]) {
        one.setNoDelay(true);
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
    this.server.on("connection", (socket) => {
      if (this.isLost) return socket.destroy();
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
      socket.on("error", () => {});
    });
  }

  start() {
    return new Promise((done) => this.server.listen(0, "127.0.0.1", () => done(this.server.address().port)));
  }

  lose() {
    this.isLost = true;
    this.sockets.forEach((socket) => socket.destroy());
  }

  find() {
    this.isLost = false;
  }

  end() {
    this.lose();
    this.server.close();
  }
}
