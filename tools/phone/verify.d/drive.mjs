// What a user does with the page, step by step. Called by tools/phone/verify.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { Browser, Network, sleep, until } from "./browser.mjs";

const [program, work, home, requests, liveSeconds] = process.argv.slice(2);
const say = (text) => console.log(`phone: ${text}`);
const check = (what, holds) => {
  if (!holds) throw new Error(`does not hold: ${what}`);
};
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const file = (name) => path.join(work, name);

// ---- The program --------------------------------------------------------------------------------

/// An address that is not loopback, which browsers treat as if it were HTTPS; else loopback.
function ownAddress() {
  const all = Object.values(os.networkInterfaces()).flat().filter((one) => !one.internal);
  return all.find((one) => one.family === "IPv4")?.address ?? "127.0.0.1";
}

const address = ownAddress();
const serve = spawn(program, ["serve", "--listen", address], {
  cwd: home, env: { ...process.env, XDG_DATA_HOME: path.join(home, "data") }, stdio: ["ignore", "pipe", "pipe"],
});
const printed = { out: "", err: "" };
serve.stdout.on("data", (text) => { printed.out += text; });
serve.stderr.on("data", (text) => { printed.err += text; });
const ended = new Promise((done) => serve.on("exit", done));

const rssMb = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${serve.pid}/status`, "utf8"))[1]) / 1024;

// ---- Steps --------------------------------------------------------------------------------------

async function shoot(page, name) {
  fs.writeFileSync(file(`${name}.png`), await page.picture());
}

const SETS = "document.querySelectorAll('#sets li').length";

async function photo(page, expected) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    // From the choice of the file to the sets on the page.
    await page.value(`$("sets").replaceChildren(), new Promise((done) => {
      const begun = performance.now();
      new MutationObserver((_, observer) => {
        if ($("sets").children.length) { observer.disconnect(); window.took = performance.now() - begun; }
      }).observe($("sets"), { childList: true });
      window.took = null;
      done();
    })`);
    await page.choose("#file", file("table.jpg"));
    times.push(await until("the sets of the photo", 60, () => page.value("window.took")));
  }
  const codes = await page.value("setsOf(shown.table).filter((set) => !set.probable).map((set) => set.id).sort()");
  check(`the sets are those of scan: ${codes}`, JSON.stringify(codes) === JSON.stringify(expected));
  await until("the photo is shown", 10, () => page.value("$('photo').naturalWidth === 4000 && $('photo').naturalHeight === 3000"));
  say(`photo of 12 megapixels to its sets on the page: ${Math.round(median(times))} ms (median of ${times.length}: ${times.map(Math.round).join(", ")})`);
}

async function sets(page) {
  const all = await page.value(SETS);
  const bands = () => page.value("document.querySelectorAll('#overlay .band').length");
  check("all sets are drawn", all > 1 && await bands() === all);
  await page.press("#sets li:nth-child(2) button");
  check("a set that is tapped is drawn alone", await bands() === 1);
  const name = await page.value("document.querySelector('#sets button[aria-pressed=true]').getAttribute('aria-label')");
  check(`it says what it is: ${name}`, /^Set 2: .*; .*; /.test(name));
  await shoot(page, "photo-one-set");
  await page.press("#sets li:nth-child(2) button");
  check("tapped again, all are", await page.value("document.querySelectorAll('#overlay .band').length") === all);
  await page.press("#mode-hints");
  check("hints show no set", await page.value(SETS) === 0 && await bands() === 0);
  await page.press("#hint-more");
  check("a hint is one card", await page.value("document.querySelectorAll('#overlay .band .side').length") === 1);
  await page.press("#hint-more");
  check("then two", await page.value("document.querySelectorAll('#overlay .band .side').length") === 2);
  await shoot(page, "photo-hint");
  await page.press("#mode-sets");
  await page.size(1280, 800);
  await shoot(page, "photo-1280x800");
  await page.dark(true);
  await page.size(360, 740);
  await page.value("window.scrollTo(0, 0)");
  await shoot(page, "photo-dark-360x740");
  await page.dark(false);
}

async function badPictures(page) {
  await page.choose("#file", file("none.jpg"));
  const words = await until("a word on what is no picture", 30, () => page.value("!$('trouble').hidden && $('trouble').textContent"));
  check(`it says so: ${words}`, words.includes("can't be read"));
  for (const [what, change] of [["changed", (name) => fs.utimesSync(name, 1, 1)], ["deleted", fs.rmSync]]) {
    const name = file(`${what}.jpg`);
    fs.copyFileSync(file("table.jpg"), name);
    // It is read only after that.
    await page.value("void (album.isWorking = true)");
    await page.choose("#file", name);
    change(name);
    await page.value("void (album.isWorking = false, work())");
    await until(`a word on a photo that was ${what}`, 10, () => page.value("$('trouble').textContent.includes('was changed or deleted') && $('retry').hidden"));
  }
  const data = { items: [], files: [file("photos")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await page.send("Input.dispatchDragEvent", { type, x: 100, y: 100, data });
  await until("a word on a folder", 10, () => page.value("$('trouble').textContent.includes('Drop the photos themselves')"));
  await page.choose("#file", file("table.tiff"));
  await until("a picture that the browser cannot show by itself", 60, () => page.value(`$('photo').naturalWidth === 1600 && ${SETS} > 0`));
}

async function others(browser, url) {
  const german = await browser.open(url, "de-DE,de");
  await until("the page in German", 5, () => german.value("$('go-live').textContent === 'Live' && document.documentElement.lang === 'de' && $('choose').innerText.includes('Fotos auswählen')"));
  await shoot(german, "start-german");
  await german.dark(true);
  await german.choose("#file", file("table.jpg"));
  await until("the sets in German", 60, () => german.value(`${SETS} > 1 && $('summary').textContent.includes(' Karten, ')`));
  await shoot(german, "photo-german-360x740");
  await german.size(1280, 800);
  await shoot(german, "photo-german-1280x800");
  await german.close();
  for (const [key, words] of [["0".repeat(32), "match. Use"], ["", "eight characters below"]]) {
    const page = await browser.open(url.replace(/#.*/, `#${key}`));
    await until(`a word on the key ${key}`, 5, () => page.value(`$('trouble').textContent.includes('${words}') && $('start').hidden`));
    await page.close();
  }
}

/// Typed behind the address or on the page, as people write it.
async function typed(browser, url) {
  const [, code] = /and then (\w{4}-\w{4})/.exec(printed.err) ?? [];
  check("a code to type is shown", code);
  const home = url.replace(/#.*/, "");
  const opened = (page) => until("the page by its code", 10, () => page.value(`document.getElementById('start')?.hidden === false && location.href === ${JSON.stringify(url)}`));
  const page = await browser.open(`${home}#${code.toUpperCase()}`);
  await opened(page);
  await page.close();
  const empty = await browser.open(home);
  await until("the place for the code", 5, () => empty.value("!$('typed').hidden && $('trouble').textContent.includes('eight characters below')"));
  await shoot(empty, "code-360x740");
  await empty.value(`$('code').value = ${JSON.stringify(` ${code.replace("-", " ")}`)}, $('open').click()`);
  await opened(empty);
  await empty.close();
  const wrong = await browser.open(`${home}#${code.replace(/./g, (one) => (one === "-" ? one : "7"))}`);
  await until("a word on a wrong code", 5, () => wrong.value("$('trouble').textContent.includes('match') && $('start').hidden && !$('typed').hidden"));
  await wrong.close();
}

async function secure(page, url) {
  if (address === "127.0.0.1") await page.value("void Object.defineProperty(window, 'isSecureContext', { value: false })");
  await page.press("#home");
  await page.press("#go-live");
  const href = await until("the step to HTTPS", 5, () => page.value("!$('secure').hidden && $('secure-link').href"));
  check(`the link is the same page: ${href}`, href === url.replace("http:", "https:"));
  const [, fingerprint] = /SHA-256\s+([0-9A-F:]{95})/.exec(printed.err);
  check("it says what the certificate is", await page.value("$('fingerprint').textContent") === fingerprint);
  check("and where", await page.value("$('secure-address').textContent") === new URL(url).host);
  await shoot(page, "secure-360x740");
  await page.size(1280, 800);
  await shoot(page, "secure-1280x800");
}

/// Answers so far, those that the page counts.
const COUNTING = `(() => {
  window.seen = { answers: 0, times: [], longest: 0, last: null };
  const before = answered;
  answered = (own, table, sent) => {
    const now = performance.now();
    if (!table.error) {
      seen.answers += 1;
      if (sent) seen.times.push([sent.taken, 0]);
      if (seen.last !== null) seen.longest = Math.max(seen.longest, now - seen.last);
      seen.last = now;
    }
    before(own, table, sent);
    if (!table.error && seen.times.length) seen.times.at(-1)[1] = performance.now();
  };
})()`;

const FRESH = "Object.assign(seen, { answers: 0, times: [], longest: 0, last: null })";

/// As with old iOS and a certificate of the computer's own: no WebSocket opens.
async function liveByRequests(browser, url) {
  const page = await browser.open(url);
  await until("the page over HTTPS", 30, () => page.value("!$('start').hidden"));
  await page.value(`(WebSocket = class extends EventTarget {
    static OPEN = 1;
    constructor() { super(); setTimeout(() => this.onclose?.(), 50); }
    close() {}
  }, true)`);
  await goLive(page);
  check(`no error on the page: ${page.errors}`, page.errors.length === 0);
  say("live by requests, where no WebSocket opens");
  await page.close();
}

async function goLive(page) {
  await page.value(COUNTING);
  await page.press("#go-live");
  await until("cards in the live picture", 60, () => page.value("shown.table?.cards?.length > 3"));
  await until("sets in the live picture", 60, () => page.value("document.querySelectorAll('#overlay .band').length > 0"));
  await sleep(3000);
  await page.value(FRESH);
  const places = [];
  const steps = 2 * liveSeconds;
  const memory = [];
  for (let i = 1; i <= steps; i++) {
    await sleep(500);
    if ([0.1, 0.5, 1].some((part) => i === Math.ceil(part * steps))) memory.push(Math.round(rssMb()));
    places.push(await page.value("shown.table.cards.map((card) => [card.id, card.corners[0]])"));
  }
  const { answers, times, longest } = await page.value("seen");
  const rate = answers / ((times.at(-1)[1] - times[0][1]) / 1000);
  const latency = median(times.map(([taken, drawn]) => drawn - taken));
  say(`live at 1280x720: ${rate.toFixed(1)} answers a second, ${Math.round(latency)} ms from camera to outline (median of ${answers})`);
  say(`memory of the program: ${memory.join(", ")} MB after a tenth, half and all of ${liveSeconds} s`);
  // The film's camera trembles, so that a card that is followed moves while it stays the same.
  const followed = places[0].filter(([id]) => places.every((place) => place.some(([other]) => other === id)));
  const moved = places.slice(1).flatMap((place) => place.filter(([id, at]) => {
    const first = places[0].find(([other]) => other === id)?.[1];
    return first && Math.hypot(at[0] - first[0], at[1] - first[1]) > 1;
  }));
  check(`outlines follow their cards: ${followed.length} all the time, ${moved.length} times elsewhere`, moved.length > 0);
  const video = await page.value("[$('video').videoWidth, $('video').videoHeight, shown.table.width, shown.table.height].join()");
  check(`the whole picture is read: ${video}`, video === "1280,720,1280,720");
  await page.value("window.scrollTo(0, 0)");
  await shoot(page, "live-360x740");
  return longest;
}

async function turn(page) {
  await page.size(740, 360);
  await page.value(FRESH);
  await until("live pictures after a turn", 60, () => page.value("seen.answers > 10"));
  const apart = await page.value(`(() => {
    const [video, overlay] = [$("video"), $("overlay")].map((element) => element.getBoundingClientRect());
    const { videoWidth: width, videoHeight: height } = $("video");
    const scale = (box) => Math.min(box.width / width, box.height / height);
    return Math.max(Math.abs(video.x + video.width / 2 - overlay.x - overlay.width / 2),
      Math.abs(video.y + video.height / 2 - overlay.y - overlay.height / 2), 1280 * Math.abs(scale(video) - scale(overlay)));
  })()`);
  check(`outlines lie on the picture, ${apart} px apart`, apart < 2);
  await shoot(page, "live-740x360");
  await page.size(1280, 800);
  await shoot(page, "live-1280x800");
  await page.size(360, 740);
}

async function loseNetwork(page, network) {
  const before = await page.value("shown.table.frame");
  network.lose();
  await until("a word on the lost network", 15, () => page.value("$('trouble').textContent.includes('Reconnecting')"));
  await shoot(page, "live-lost");
  await sleep(5000);
  network.find();
  const begun = Date.now();
  await page.value(FRESH);
  await until("live pictures again", 30, () => page.value("seen.answers > 0 && $('trouble').hidden"));
  say(`live again ${Date.now() - begun} ms after the network came back`);
  const after = await page.value("shown.table.frame");
  check(`the game goes on: picture ${before}, then ${after}`, after > before);
}

/// Requests of those who mean no good, as many at once as `lanes`.
async function hostile(page, host, port, usual) {
  const heads = [
    (n) => `GET /hello HTTP/1.1\r\nHost: ${host}\r\nX-Setsight-Key: ${String(n).padStart(32, "0")}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(4000)}`,
    () => `POST /photo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000000\r\n\r\n`,
    () => `GET /../../../etc/passwd HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    () => "GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n",
    (n) => `GET /live HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: setsight, ${String(n).padStart(32, "0")}, 0123456789abcdef\r\n\r\n`,
    () => "\u0016\u0003\u0001no handshake",
  ];
  const silent = Array.from({ length: 200 }, () => net.connect(port, address).on("error", () => {}));
  let next = 0;
  const answers = new Set();
  const one = (n) => new Promise((done) => {
    let text = "";
    const socket = net.connect(port, address, () => socket.write(heads[n % heads.length](n)));
    socket.setTimeout(1000, () => socket.destroy());
    socket.on("data", (bytes) => { text += bytes; });
    socket.on("error", () => {});
    socket.on("close", () => { if (text.startsWith("HTTP")) answers.add(text); done(); });
  });
  await page.value(FRESH);
  const begun = Date.now();
  await Promise.all(Array.from({ length: 20 }, async () => { while (next < requests) await one(next++); }));
  silent.forEach((socket) => socket.destroy());
  await until("a live answer", 30, () => page.value("seen.answers > 1"));
  const { answers: played, longest } = await page.value("seen");
  say(`${requests} hostile requests and 200 silent connections in ${((Date.now() - begun) / 1000).toFixed(1)} s: ${played} live answers meanwhile, the longest pause ${Math.round(longest)} ms`);
  check(`all are told the same: ${[...answers].map((text) => text.slice(0, 40))}`, answers.size === 1 && [...answers][0].startsWith("HTTP/1.1 404"));
  check(`the phone plays on without a pause of more than a second, beside its usual ${Math.round(usual)} ms`, longest < 1000 + usual);
}

// ---- In order -----------------------------------------------------------------------------------

const network = new Network();
let browser;
try {
  const url = await until("the address of the page", 60, () => /http:\S+#[0-9a-f]{32}/.exec(printed.err)?.[0]);
  const { host, port } = new URL(url);
  check("a code is shown", /[\u2580\u2584\u2588]{5}/.test(printed.err));
  browser = new Browser("chromium", path.join(home, "profile"), file("film.mjpeg"), await network.start());
  const scanned = JSON.parse(fs.readFileSync(file("table.json"), "utf8"));
  const expected = scanned.sets.map((set) => set.map((i) => scanned.cards[i].code).sort().join(" ")).sort();

  const page = await browser.open(url);
  await until("the page", 30, () => page.value("!$('start').hidden"));
  await shoot(page, "start-360x740");
  say("a photo");
  await photo(page, expected);
  await page.value("window.scrollTo(0, 0)");
  await shoot(page, "photo-360x740");
  await sets(page);
  await badPictures(page);
  await others(browser, url);
  await typed(browser, url);
  await secure(page, url);
  await page.close();

  say("live");
  const live = await browser.open(url.replace("http:", "https:"));
  await until("the page over HTTPS", 30, () => live.value("!$('start').hidden"));
  const usual = await goLive(live);
  await turn(live);
  await loseNetwork(live, network);
  await hostile(live, host, Number(port), usual);
  await liveByRequests(browser, url.replace("http:", "https:"));
  for (const one of [page, live]) check(`no error on the page: ${one.errors}`, one.errors.length === 0);
  await live.close();
  await until("the end of the live pictures", 15, () => printed.err.includes("its live pictures have ended"));

  const kept = fs.readdirSync(home).filter((name) => !["data", "profile"].includes(name));
  check(`nothing is kept: ${kept}`, kept.length === 0);
  const certificate = path.join(home, "data/setsight/phone-certificate.json");
  check("the certificate's key is its owner's alone", (fs.statSync(certificate).mode & 0o777) === 0o600);
  serve.kill("SIGINT");
  check("Ctrl-C ends it well", await ended === 0);
  say("all good");
} catch (error) {
  console.error(`phone: ${error.message}\n--- what setsight serve said:\n${printed.err}${printed.out.slice(-2000)}`);
  process.exitCode = 1;
} finally {
  browser?.end();
  network.end();
  serve.kill("SIGKILL");
}
