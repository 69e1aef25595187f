// Drives Firefox and WebKitGTK by WebDriver (W3C): Firefox by Marionette, which it speaks itself, WebKitGTK by
// its driver over HTTP. No package is needed.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { sleep, until } from "../../phone/verify.d/browser.mjs";

/// The name that the standard gives an element's reference.
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const KEPT = `new Promise((done, failed) => {
  const request = indexedDB.open("setsight", 1);
  request.onupgradeneeded = () => request.transaction.abort();
  request.onerror = () => done("[]");
  request.onsuccess = () => {
    const all = request.result.transaction("photos").objectStore("photos").getAll();
    all.onerror = () => failed(all.error);
    all.onsuccess = () => {
      request.result.close();
      done(JSON.stringify(all.result.sort((a, b) => a.time - b.time).map(({ id, table }) => ({ id, table }))));
    };
  };
})`;

/// What both browsers take; `call` sends a command by Marionette's name, or by method and path.
class Driven {
  go(url) {
    return this.call("WebDriver:Navigate", "POST", "url", { url });
  }

  /// The value of an expression, which may be a promise. In Firefox it sees the document, but none of the
  /// page's `const`s.
  async value(expression) {
    const script = `const done = arguments[0]; (async () => (${expression}))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await this.call("WebDriver:ExecuteAsyncScript", "POST", "execute/async", { script, args: [] });
    if (error) throw new Error(`${expression}: ${error}`);
    return value;
  }

  /// What the page has read, by its ids: it keeps that in the browser's storage.
  async photos() {
    return JSON.parse(await this.value(KEPT)).filter(({ table }) => table);
  }

  async element(selector) {
    return Object.values(await this.call("WebDriver:FindElement", "POST", "element", { using: "css selector", value: selector }))[0];
  }

  async choose(selector, file) {
    const id = await this.element(selector);
    await this.call("WebDriver:ElementSendKeys", "POST", `element/${id}/value`, { id, text: file });
  }

  async press(selector) {
    const id = await this.element(selector);
    await this.call("WebDriver:ElementClick", "POST", `element/${id}/click`, { id, [ELEMENT]: id });
  }

  async picture() {
    return Buffer.from(await this.call("WebDriver:TakeScreenshot", "GET", "screenshot", { full: false }), "base64");
  }

  end() {
    this.children.forEach((child) => child.kill());
  }

  /// Starts a program that ends with this.
  start(program, args, env = {}) {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "ignore"], env: { ...process.env, ...env } });
    (this.children ??= []).push(child);
    child.on("error", (error) => { this.failure = error; });
    child.on("exit", (code) => { this.failure ??= new Error(`${program} has ended with ${code}`); });
  }
}

export class Firefox extends Driven {
  async open(profile, language, isDark) {
    fs.mkdirSync(profile, { recursive: true });
    const settings = {
      "marionette.port": 0, "intl.accept_languages": language, "layout.css.prefers-color-scheme.content-override": isDark ? 0 : 1,
      "datareporting.policy.dataSubmissionEnabled": false, "app.update.disabledForTesting": true, "browser.shell.checkDefaultBrowser": false,
      "browser.startup.homepage_override.mstone": "ignore", "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false,
    };
    const lines = Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
    fs.writeFileSync(path.join(profile, "user.js"), lines.join(""));
    this.start(this.program, ["--marionette", "--headless", "--no-remote", "--profile", profile]);
    const told = path.join(profile, "MarionetteActivePort");
    const port = await until("Firefox", 120, () => {
      if (this.failure) throw this.failure;
      return fs.existsSync(told) && Number(fs.readFileSync(told, "utf8"));
    });
    await this.connect(port);
    await this.call("WebDriver:NewSession", "", "", { capabilities: { alwaysMatch: { timeouts: { script: 300000 } } } });
    await this.call("WebDriver:SetWindowRect", "", "", { width: 390, height: 844 });
  }

  constructor(program) {
    super();
    this.program = program;
  }

  /// Each message is its length, a colon and JSON: [0, id, command, values], answered by [1, id, error, answer].
  connect(port) {
    this.waiting = new Map();
    this.count = 0;
    let rest = Buffer.alloc(0);
    return new Promise((done, failed) => {
      this.socket = net.connect(port, "127.0.0.1").on("error", failed).on("data", (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        for (;;) {
          const colon = rest.indexOf(":");
          const end = colon + 1 + Number(rest.subarray(0, Math.max(0, colon)).toString());
          if (colon < 0 || rest.length < end) return;
          const message = JSON.parse(rest.subarray(colon + 1, end).toString());
          rest = rest.subarray(end);
          if (!Array.isArray(message)) {
            done();
            continue;
          }
          const [, id, error, answer] = message;
          const asked = this.waiting.get(id);
          this.waiting.delete(id);
          if (error) asked.failed(new Error(error.message));
          else asked.done(answer?.value ?? answer);
        }
      });
    });
  }

  call(name, _method, _path, values) {
    const id = ++this.count;
    const text = JSON.stringify([0, id, name, values]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  end() {
    this.socket?.destroy();
    super.end();
  }
}

/// WebKitGTK, in a window on a display that nobody sees.
export class WebKit extends Driven {
  async open(_profile, language, isDark) {
    const display = `:${90 + Math.floor(Math.random() * 900)}`;
    this.start("Xvfb", [display, "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
    await until("the display", 30, () => fs.existsSync(`/tmp/.X11-unix/X${display.slice(1)}`));
    const port = 20000 + Math.floor(Math.random() * 20000);
    this.start("WebKitWebDriver", [`--port=${port}`], {
      DISPLAY: display, LC_ALL: `${language.replace("-", "_")}.UTF-8`, LANGUAGE: language.slice(0, 2), GTK_THEME: isDark ? "Adwaita:dark" : "Adwaita", GDK_BACKEND: "x11",
      WEBKIT_DISABLE_DMABUF_RENDERER: "1", NO_AT_BRIDGE: "1",
    });
    this.base = `http://127.0.0.1:${port}/session`;
    let session = null;
    const capabilities = { alwaysMatch: { timeouts: { script: 300000 } } };
    await until("WebKitGTK's driver", 60, async () => {
      if (this.failure) throw this.failure;
      return (session = await this.ask("POST", "", { capabilities }).catch((error) => (error.cause ? null : Promise.reject(error))));
    });
    this.base += `/${session.sessionId}`;
    await this.call("", "POST", "window/rect", { width: 390, height: 844 });
    await sleep(300);
  }

  /// Windows that are driven can store no files; but here an expression sees all that the page's scripts do.
  async photos() {
    return JSON.parse(await this.value("JSON.stringify(album.photos.map(({ id, table }) => ({ id, table })))")).filter(({ table }) => table);
  }

  async ask(method, name, values) {
    const body = method === "GET" ? undefined : JSON.stringify(values);
    const answer = await fetch(this.base + name, { method, body, headers: { "Content-Type": "application/json" } });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(value.message || value.error);
    return value;
  }

  call(_name, method, where, values) {
    return this.ask(method, `/${where}`, values);
  }

  async end() {
    await fetch(this.base, { method: "DELETE" }).catch(() => {});
    super.end();
  }
}
