// What is tried in Firefox and WebKitGTK: photos, no network, German and dark. Called by tools/web/verify.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { until } from "../../phone/verify.d/browser.mjs";
import { Comparison, Host, check, say, scannedIn } from "./host.mjs";
import { Firefox, WebKit } from "./webdriver.mjs";

const [work, home, name, program] = process.argv.slice(2);
const make = { firefox: () => new Firefox(program), webkit: () => new WebKit() }[name];

const isShown = (id) => `!document.getElementById("${id}").hidden`;
const told = (page) => page.value(`${isShown("trouble")} && document.getElementById("trouble").textContent`);

async function opened(page) {
  await until("the first page", 60, async () => {
    if (!await page.value("document.readyState === 'complete' && Boolean(document.getElementById('start'))")) return false;
    check(`the page has no trouble: ${await told(page)}`, !await told(page));
    return page.value(`${isShown("start")} || ${isShown("table")}`);
  });
}

async function read(page, file) {
  const before = (await page.photos()).at(-1)?.id;
  const input = await page.value(isShown("start")) ? "#file" : "#again-file";
  const begun = Date.now();
  await page.choose(input, file);
  let word = null;
  const table = await until(`the result of ${file}`, 180, async () => {
    word = await told(page);
    const last = (await page.photos()).at(-1);
    return word || (last && last.id !== before && last.table);
  });
  return word ? { word } : { table, ms: Date.now() - begun };
}

async function inEnglish(host) {
  const page = make();
  try {
    await page.open(path.join(home, name), "en-GB", false);
    await page.go(host.url);
    await opened(page);
    say(`${name}: ${await page.value("navigator.userAgent")}`);
    const compared = new Comparison();
    const times = [];
    for (const line of scannedIn(work)) {
      const { table, word, ms } = await read(page, path.resolve(line.image));
      compared.take(line, table, word);
      times.push(ms);
    }
    say(`${name}: a photo takes ${times.sort((a, b) => a - b)[times.length >> 1]} ms (median), with what asks for its result`);
    compared.end();
    check("its sets are listed", await page.value(`document.querySelectorAll("#sets li").length > 0`));
    await page.press("#set-next");
    check("the first set is shown alone", await page.value(`document.querySelectorAll("#overlay .dim").length === 1`));
    fs.writeFileSync(path.join(work, `${name}-photo.png`), await page.picture());
    await flight(page, host);
  } finally {
    await page.end();
  }
}

async function flight(page, host) {
  await until("the page is kept", 60, () => page.value("navigator.serviceWorker.getRegistration().then((one) => Boolean(one?.active))"));
  const { port } = host;
  host.end();
  await page.go(host.url);
  await opened(page);
  const { table } = await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
  check("a photo is read without a network", table?.cards.length === 12);
  await host.start(port);
  say(`${name}: opened and read without a network`);
}

async function inGerman(host) {
  const page = make();
  try {
    await page.open(path.join(home, `${name}-de`), "de-DE", true);
    await page.go(host.url);
    await opened(page);
    // WebKitGTK speaks the system's language, if that is installed.
    const speaksGerman = name !== "webkit" || /^de_DE\.utf-?8$/im.test(execFileSync("locale", ["-a"], { encoding: "utf8" }));
    if (!speaksGerman) console.log("NOT RUN: German in WebKitGTK, as the locale de_DE.UTF-8 is not installed");
    else check("the page is in German", await page.value(`document.documentElement.lang === "de" && document.getElementById("go-live").parentElement.innerText.includes("Fotos auswählen")`));
    check("the page is dark", await page.value(`getComputedStyle(document.body).backgroundColor === "rgb(22, 24, 28)"`));
    fs.writeFileSync(path.join(work, `${name}-german-dark.png`), await page.picture());
    say(`${name}: ${speaksGerman ? "German and dark" : "dark"}`);
  } finally {
    await page.end();
  }
}

const host = new Host();
try {
  await host.start();
  await inEnglish(host);
  await inGerman(host);
  say("all good");
} catch (error) {
  console.error(`web: ${name}: ${error.message}`);
  process.exitCode = 1;
} finally {
  host.end();
}
