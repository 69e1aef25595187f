// Photographs the page of `setsight serve` on a phone, for tools/pictures: a photo's sets, then a hint.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Browser, until } from "./browser.mjs";

const [program, home, photo] = process.argv.slice(2);
const serve = spawn(program, ["serve", "--listen", "127.0.0.1:0"], {
  env: { ...process.env, XDG_DATA_HOME: home }, stdio: ["ignore", "ignore", "pipe"],
});
let printed = "";
serve.stderr.on("data", (text) => { printed += text; });
let browser;
try {
  const url = await until("the address of the page", 60, () => /http:\S+#[0-9a-f]{32}/.exec(printed)?.[0]);
  browser = new Browser("chromium", path.join(home, "profile"), photo);
  const page = await browser.open(url);
  await until("the page", 30, () => page.value("!$('start').hidden"));
  await page.choose("#file", photo);
  await until("the sets", 60, () => page.value("document.querySelectorAll('#sets li').length && $('photo').naturalWidth"));
  for (const [name, steps] of [["phone", []], ["phone-hint", ["#mode-hints", "#hint-more", "#hint-more"]]]) {
    for (const step of steps) await page.press(step);
    await page.value("window.scrollTo(0, 0)");
    fs.writeFileSync(path.join(home, `${name}.png`), await page.picture());
  }
} finally {
  browser?.end();
  serve.kill("SIGINT");
}
