// What a user does with the page, step by step. Called by tools/web/verify.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { Browser, sleep, until } from "../../phone/verify.d/browser.mjs";
import { Comparison, Host, check, say, scannedIn } from "./host.mjs";

const [work, home, liveSeconds] = process.argv.slice(2);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const file = (name) => path.join(work, name);

// ---- Steps --------------------------------------------------------------------------------------

const SIZES = [[360, 640], [390, 844], [844, 390], [640, 360], [1280, 800]];

async function shoot(page, name) {
  fs.writeFileSync(file(`${name}.png`), await page.picture());
}

/// The page at all sizes: nothing is wider than it, and each picture is kept.
async function shootAll(page, name) {
  for (const [width, height] of SIZES) {
    await page.size(width, height);
    await sleep(150);
    const wide = await page.value("document.documentElement.scrollWidth - innerWidth");
    check(`${name} at ${width}x${height} is not wider than the page, by ${wide} px`, wide <= 0);
    await shoot(page, `${name}-${width}x${height}`);
  }
  await page.size(390, 844);
}

const opened = (page) => until("the first page", 30, () => page.value("!$('start').hidden"));

/// Has a file read, and gives its table or its word, and the milliseconds from choice to result.
async function read(page, name) {
  const before = await page.value("(window.begun = performance.now(), album.photos.at(-1)?.id ?? null)");
  await page.choose("#file", name);
  return until(`the result of ${name}`, 120, () => page.value(`(() => {
    const photo = album.photos.at(-1);
    if (!photo || photo.id === ${JSON.stringify(before)} || !["done", "failed"].includes(photo.state)) return null;
    return { table: photo.table, word: photo.word, ms: performance.now() - begun };
  })()`));
}

async function firstPhoto(browser, url) {
  const page = await browser.open(url);
  await opened(page);
  await sleep(1500);
  const { table, ms } = await read(page, file("large.jpg"));
  check(`12 cards on 12 megapixels, not ${table?.cards.length}`, table?.cards.length === 12);
  say(`first result of a photo of 12 megapixels: ${Math.round(ms)} ms ${JSON.stringify(table.stage_ms)}`);
  say(`memory of the module after it: ${await memoryMb(page)} MB`);
  await page.close();
}

/// A photo that is taken while the reader still comes.
async function slowNetwork(browser, host) {
  host.isSlow = true;
  const page = await browser.open(host.url.replace("some", "other"));
  await opened(page);
  await page.choose("#file", path.resolve("datasets/samples/1-plain-on-wood.jpg"));
  const told = await until("how much of the reader has come", 10, () => page.value("!$('wait-part').hidden && $('wait-part').value > 0.2 && [$('wait-words').textContent, $('photo').naturalWidth]"));
  check(`its size is told beside the photo: ${told}`, /^Loading .* \d+\.\d MB$/.test(told[0]) && told[1] === 1280);
  await shoot(page, "loading-360x740");
  await until("the photo is read then", 60, () => page.value("album.photos[0].table?.cards.length === 12"));
  host.isSlow = false;
  await page.close();
}

const memoryMb = async (page) => Math.round(await page.value("reader.memory()") / 1e6);

/// Of each of the browser's renderers, in megabytes: what it holds alone, and what is resident, with the
/// browser's own code that all of them share.
function rendererMb(browser) {
  const listed = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  const lines = listed.split("\n").filter((line) => line.includes("--type=renderer") && line.includes(home));
  return lines.map((line) => {
    const rollup = fs.readFileSync(`/proc/${parseInt(line, 10)}/smaps_rollup`, "utf8");
    const mb = (names) => Math.round([...rollup.matchAll(new RegExp(`^(?:${names}):\\s+(\\d+)`, "gm"))].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1024);
    return `${mb("Private_Clean|Private_Dirty")} (${mb("Rss")} resident)`;
  }).join(", ");
}

async function photos(page) {
  const times = [];
  const compared = new Comparison();
  for (const line of scannedIn(work)) {
    const { table, word, ms } = await read(page, path.resolve(line.image));
    if (table && Math.max(line.width, line.height) <= 1280) times.push(ms);
    compared.take(line, table, word);
  }
  say(`photos up to 1280 pixels wide, from choice to result: ${Math.round(median(times))} ms (median of ${times.length})`);
  say(`memory of the module after all: ${await memoryMb(page)} MB`);
  compared.end();
}

async function walking(page) {
  await page.go(await page.value("location.href"));
  await until("the page", 30, () => page.value("!$('start').hidden || !$('table').hidden"));
  await read(page, path.resolve("datasets/samples/2-fifteen-on-felt.jpg"));
  await shootAll(page, "photo");
  const count = await page.value("setsOf(shown.table).length");
  check(`sets: ${count}`, count > 1);
  for (let i = 0; i < count; i++) await page.press("#set-next");
  const seen = await page.value(`(() => {
    const inView = (id) => { const { top, bottom } = $(id).getBoundingClientRect(); return top >= -1 && bottom <= innerHeight + 1; };
    return { photo: inView("stage"), bar: inView("bar"), dim: document.querySelectorAll("#overlay .dim").length,
      bands: document.querySelectorAll("#overlay .band").length, pressed: document.querySelector("#sets [aria-pressed=true]")?.dataset.set === shown.chosen,
      why: [...document.querySelectorAll("#detail .why li")].map((li) => li.className) };
  })()`);
  check(`the last set is drawn alone on a photo that is in view: ${JSON.stringify(seen)}`,
    seen.photo && seen.bar && seen.dim === 1 && seen.bands === 1 && seen.pressed && seen.why.length === 4 && !seen.why.includes("two"));
  await page.value("window.scrollTo(0, document.body.scrollHeight)");
  await sleep(100);
  check("scrolled to the end, photo and buttons are still in view", await page.value("$('stage').getBoundingClientRect().top >= -1 && $('bar').getBoundingClientRect().bottom <= innerHeight + 1"));
  await page.size(360, 640);
  await page.value("setRatio(3, 4), window.scrollTo(0, 0)");
  await sleep(150);
  const room = await page.value("$('bar').getBoundingClientRect().top - document.querySelector('#detail li:last-child').getBoundingClientRect().bottom");
  check(`at 360x640, below an upright photo, all four reasons are seen with ${room} px to spare`, room >= 0);
  await page.value("setRatio(shown.table.width, shown.table.height)");
  await shootAll(page, "walk");
  await page.press("#mode-hints");
  const hints = async () => page.value("[document.querySelectorAll('#overlay .side').length, $('hint-more').textContent, $('hint-more').disabled, $('hint-other').disabled]");
  check(`no hint yet: ${await hints()}`, (await hints()).join() === "0,Show one card,false,true");
  await page.press("#hint-more");
  check(`one card: ${await hints()}`, (await hints()).join() === "1,Show one more,false,false");
  await shootAll(page, "hint");
  await page.press("#hint-more");
  await page.press("#hint-more");
  check(`three, and no more: ${await hints()}`, (await hints()).join() === "3,Show one more,true,false");
  await page.press("#mode-sets");
}

/// A card that is made unsure, since the reader is sure of drawn ones, is settled by a tap.
async function settling(page) {
  await page.value(`(() => {
    const photo = album.photos[album.at];
    const [i] = photo.table.sets[0];
    const card = photo.table.cards[i];
    Object.assign(card, { unsure: true, alternatives: [{ code: DECK.find((code) => code !== card.code), confidence: 0.2 }] });
    photo.table.probable_sets = photo.table.sets.filter((set) => set.includes(i)).map((cards) => ({ cards, confidence: 0.7, decided_by: i }));
    photo.table.sets = photo.table.sets.filter((set) => !set.includes(i));
    window.probable = photo.table.probable_sets.length;
    show(settled(photo.table, photo.fixes));
  })()`);
  const counts = () => page.value("[shown.table.sets.length, shown.table.probable_sets.length]");
  const [sure, probable] = await counts();
  await shoot(page, "unsure-390x844");
  await page.value("document.querySelector('#overlay [data-card]').focus()");
  await page.key("Enter");
  check("the guesses are drawn", await page.value("$('guesses').open && document.querySelectorAll('#guess-list svg.card').length === 3"));
  await shoot(page, "guesses-390x844");
  await page.press("#guess-list button:first-child");
  check(`probable sets have become sure: ${await counts()}`, (await counts()).join() === `${sure + probable},0`);
  await sleep(300);
  await page.go(await page.value("location.href"));
  await until("the results after a reload", 15, () => page.value("shown.table?.cards.length > 0"));
  check(`they survive a reload: ${await counts()}`, (await counts()).join() === `${sure + probable},0`);
}

async function flight(page, host) {
  await kept(page);
  const { port } = host;
  host.end();
  await page.send("Network.clearBrowserCache");
  await page.go(host.url);
  await until("the page without a network", 15, () => page.value("typeof album === 'object' && (!$('start').hidden || !$('table').hidden)"));
  const { table } = await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
  check("a photo is read without a network", table?.cards.length === 12);
  await host.start(port);
  say("flight mode: opened and read without a network");
}

const kept = (page) => until("the page is kept", 60, () => page.value("navigator.serviceWorker.ready.then(() => Boolean(navigator.serviceWorker.controller))"));

/// Installed, beside another copy on the same host, with a new version, and as a target of what other apps share.
async function asApp(browser, page, host) {
  const { errors } = await page.send("Page.getAppManifest");
  const { appId } = await page.send("Page.getAppId");
  const { installabilityErrors } = await page.send("Page.getInstallabilityErrors");
  check(`the manifest has no fault: ${JSON.stringify(errors)}, ${JSON.stringify(installabilityErrors)}`, !errors.length && !installabilityErrors.length);
  check(`two apps of one host differ: ${appId}`, appId.startsWith(host.url));
  const other = await browser.open(host.url.replace("some", "other"));
  await kept(other);
  const names = () => page.value("caches.keys()");
  check(`two copies keep a cache each: ${await names()}`, (await names()).length === 2);
  const cached = (name) => page.value(`caches.keys().then(async (all) => Boolean(await (await caches.open(all.find((one) => one.includes("/some/")))).${name}))`);
  const { port } = host;
  check("something kept is lost", await cached("delete(new URL('words.js', location.href))"));
  await page.go(host.url);
  await until("what was lost is kept again", 10, () => cached("match(new URL('words.js', location.href))"));
  host.end();
  await page.send("Network.clearBrowserCache");
  for (const name of ["index.html", "?puzzle=7", ""]) {
    await page.go(host.url + name);
    await until(`${name} without a network`, 15, () => page.value("typeof album === 'object' && Boolean(document.body.dataset.view)"));
  }
  await host.start(port);
  // A later version is told of in both tabs, and each takes it.
  const second = await browser.open(host.url);
  await opened(second);
  await page.press("#home");
  host.version = "// later";
  await page.value("navigator.serviceWorker.ready.then((kept) => kept.update())");
  for (const tab of [page, second]) {
    await until("a word on a new version", 30, () => tab.value("!$('note').hidden && $('note').textContent.includes('new version')"));
    await tab.value("void (window.isOld = true)");
  }
  for (const tab of [page, second]) {
    await tab.press("#note button");
    await until("the new version", 30, () => tab.value("typeof album === 'object' && !window.isOld && Boolean(document.body.dataset.view)"));
  }
  check(`the other copy still has its own: ${await names()}`, (await names()).length === 2);
  for (const tab of [other, second]) await tab.close();
  const photo = fs.readFileSync("datasets/samples/1-plain-on-wood.jpg").toString("base64");
  await page.value(`(async () => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(photo)}), (one) => one.charCodeAt(0));
    const form = new FormData();
    form.append("photos", new File([bytes], "shared.jpg", { type: "image/jpeg" }));
    await fetch("./", { method: "POST", body: form });
  })()`);
  const before = await page.value("album.photos.length");
  await page.go(host.url);
  await until("a photo that was shared", 30, () => page.value(`album.photos.length === Math.min(12, ${before} + 1) && album.photos.at(-1).table?.cards.length === 12`));
  say("as an app: beside another copy, without a network, renewed in two tabs, with a photo that was shared");
}

/// Any card can be said, one that was missed added, one that is none taken away; the photo is enlarged.
async function correcting(page) {
  const codes = () => page.value("shown.table.cards.map((card) => card.code)");
  const before = await codes();
  await page.press("#mode-correct");
  await shootAll(page, "correct");
  const tap = async (x, y) => {
    const at = await page.value(`(() => {
      const box = $("overlay").getBoundingClientRect();
      const { width, height } = shown.table;
      const scale = Math.min(box.width / width, box.height / height);
      return { x: box.x + (box.width - width * scale) / 2 + ${x} * scale, y: box.y + (box.height - height * scale) / 2 + ${y} * scale };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) await page.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
  };
  const [place, middle] = await page.value("(() => { const i = shown.table.cards.findIndex((card) => !card.unsure && !card.isFixed); return [i, middleOf(shown.table.cards[i].corners)]; })()");
  const pick = async (code) => {
    for (const [i, letter] of [...code].entries()) await page.press(`#pick button:nth-child(${3 * i + ["123", "fos", "rgp", "dos"][i].indexOf(letter) + 1})`);
  };
  await tap(...middle);
  check("a sure card is asked for, with its picture and three guesses", await page.value("$('guesses').open && $('crop').children.length === 1 && $('guess-list').children.length === 3 && $('guess-open').hidden"));
  await shoot(page, "correct-ask-390x844");
  await page.press("#guess-none");
  await shoot(page, "correct-pick-390x844");
  const other = await page.value("DECK.find((code) => !shown.table.cards.some((card) => card.code === code))");
  await pick(other);
  check(`it is ${other} after four taps: ${await codes()}`, (await codes())[place] === other && await page.value("!$('guesses').open"));
  await tap(...middle);
  await page.press("#guess-away");
  check("it is none", (await codes()).length === before.length - 1);
  await tap(...middle);
  check("where none is, one is added", await page.value("$('guesses').open && !$('pick').hidden"));
  await pick(before[place]);
  check("as it was", (await codes()).toSorted().join() === before.toSorted().join());
  // A tap beside it closes a dialog.
  await tap(...middle);
  for (const type of ["mousePressed", "mouseReleased"]) await page.send("Input.dispatchMouseEvent", { type, x: 4, y: 4, button: "left", clickCount: 1 });
  check("a tap beside it closes a dialog", await page.value("!$('guesses').open"));
  // Two fingers.
  const box = await page.value("(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))($('stage').getBoundingClientRect())");
  const touch = (type, apart) => page.send("Input.dispatchTouchEvent", { type, touchPoints: apart === null ? [] : [{ id: 1, x: box.x - apart, y: box.y }, { id: 2, x: box.x + apart, y: box.y }] });
  await touch("touchStart", 20);
  for (const apart of [30, 45, 60]) await touch("touchMove", apart);
  await touch("touchEnd", null);
  const by = await page.value("zoom.by");
  check(`two fingers enlarge: ${by}`, by > 2 && by < 4);
  await shoot(page, "enlarged-390x844");
  await page.value("zoomTo(1, 0, 0)");
  await page.press("#mode-sets");
  // What is saved is the photo with its sets.
  const saved = await page.value(`new Promise((done) => {
    HTMLAnchorElement.prototype.click = async function () {
      const bitmap = await createImageBitmap(await (await new Response(saved)).blob());
      done([this.download, bitmap.width, bitmap.height]);
    };
    const before = URL.createObjectURL;
    let saved = null;
    URL.createObjectURL = (blob) => { if (blob.type === "image/jpeg") saved = blob; return before.call(URL, blob); };
    window.matchMedia = () => ({ matches: false });
    $("save").click();
  })`);
  check(`saved: ${saved}`, saved.join() === "sets.jpg,1280,960");
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  const printed = await page.value("['stage', 'summary', 'sets', 'bar'].map((id) => $(id).getBoundingClientRect().height > 20)");
  check(`printed are the photo and its sets: ${printed}`, printed.join() === "true,true,true,false");
  await shoot(page, "printed");
  await page.send("Emulation.setEmulatedMedia", { media: "" });
  await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
  const count = await page.value("album.photos.length");
  await until("small pictures in the album", 10, () => page.value("[...$('album').children].every((one) => one.querySelector('canvas'))"));
  await page.press("#remove");
  await page.press("#sure-yes");
  check("one is deleted", await page.value("album.photos.length") === count - 1);
  await page.press("#home");
  await page.press("#go-photos");
  check("back at the photos", await page.value("!$('table').hidden && $('photo').src !== ''"));
}

async function badFiles(page) {
  fs.writeFileSync(file("letter.txt"), "Dear diary, today");
  fs.writeFileSync(file("letter.jpg"), "Dear diary, today");
  fs.writeFileSync(file("empty.jpg"), "");
  fs.copyFileSync("datasets/samples/9-film.avi", file("film.mp4"));
  // A PNG whose head announces 20,000 x 10,000 pixels.
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  fs.writeFileSync(file("huge.png"), Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", Buffer.from("00004e20000027100802000000", "hex")),
    chunk("IDAT", deflateSync(Buffer.alloc(1000))), chunk("IEND", Buffer.alloc(0)),
  ]));
  for (const [name, word] of [["letter.txt", "can't be read"], ["letter.jpg", "can't be read"], ["empty.jpg", "is empty"], ["film.mp4", "This is a video"], ["huge.png", "too large"]]) {
    const { table } = await read(page, file(name));
    const words = await page.value("!$('trouble').hidden && $('trouble').textContent");
    check(`a word on ${name}: ${words}`, !table && words && words.includes(word));
  }
  // What says that it is a HEIC and is none; the browser cannot decode it either.
  fs.writeFileSync(file("broken.heic"), Buffer.concat([Buffer.from("0000001866747970686569630000000068656963", "hex"), Buffer.alloc(400)]));
  const { word } = await read(page, file("broken.heic"));
  const said = await page.value("$('trouble').textContent");
  check(`a word on broken.heic: ${word}, ${said}`, word && said.length > 20);
  const { table } = await read(page, file("table.tiff"));
  check("a TIFF is read", table?.cards.length === 12);
  await until("it is shown, too", 10, () => page.value("$('photo').naturalWidth === 1280 && !$('photo').hidden"));
}

/// A photo of 200 megapixels, and files that come by a drag or are pasted.
async function otherWays(page) {
  const { table, ms } = await read(page, file("huge.jpg"));
  check("12 cards on 200 megapixels", table?.cards.length === 12);
  await until("its picture", 60, () => page.value("$('photo').naturalWidth > 0 && !$('photo').hidden"));
  say(`a photo of 200 megapixels: ${Math.round(ms)} ms; it is shown ${await page.value("$('photo').naturalWidth")} pixels wide; the module holds ${await memoryMb(page)} MB`);
  const photo = fs.readFileSync("datasets/samples/1-plain-on-wood.jpg").toString("base64");
  const count = await page.value("album.photos.length");
  for (const [kind, event] of [["drop", "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"], ["paste", "new ClipboardEvent('paste', { clipboardData: data, bubbles: true })"]]) {
    const before = await page.value("album.photos.at(-1).id");
    await page.value(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(photo)}), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "image.png", { type: "image/png" }));
      document.body.dispatchEvent(${event});
    })()`);
    await until(`the cards by ${kind}`, 60, () => page.value(`album.photos.at(-1).id !== ${JSON.stringify(before)} && album.photos.at(-1).table?.cards.length === 12`));
  }
  check("photos are kept within their number", count <= 12 && await page.value("album.photos.length <= 12"));
}

/// Whether a deck is complete, by two photos and what other photos would show.
async function deck(page) {
  await page.press("#home");
  await page.press("#go-deck");
  const lines = scannedIn(work).filter(({ image }) => /samples\/[12]-/.test(image));
  for (const line of lines) {
    await page.choose("#deck-file", path.resolve(line.image));
    await until(`the deck with ${line.image}`, 60, () => page.value(`photosOfDeck().at(-1)?.name === ${JSON.stringify(path.basename(line.image))} && photosOfDeck().at(-1).state === "done"`));
  }
  const codes = lines.flatMap((line) => line.cards.map((card) => card.code));
  const state = () => page.value("$('deck-state').textContent");
  check(`more photos are asked for: ${await state()}`, (await state()).includes("Photograph the next cards") && await page.value("$('missing').children.length === 0 && $('deck-print').hidden"));
  await page.press("#deck-all");
  check(`so many of 81: ${await state()}`, (await state()).startsWith(`${new Set(codes).size} of 81; missing: ${81 - new Set(codes).size}`));
  const twice = new Set(codes.filter((code, i) => codes.indexOf(code) !== i));
  check("what is there twice is named", await page.value("[...$('deck-notes').children].filter((one) => one.textContent.startsWith('More than once')).length") === twice.size);
  await shootAll(page, "deck");
  // What is left, but for one card, as if a third photo showed it; and one card that is unsure.
  await page.value(`(() => {
    const [photo] = photosOfDeck();
    const seen = ${JSON.stringify(codes)};
    const cards = DECK.filter((code) => !seen.includes(code) && code !== "2sgo").map((code) => ({ ...photo.table.cards[0], code }));
    cards.push({ ...photo.table.cards[0], code: "1frd", unsure: true, confidence: 0.62 });
    album.photos.push({ ...photo, id: randomName(), fixes: {}, table: { ...photo.table, cards } });
    showDeck();
  })()`);
  const missing = new Set([...codes.includes("2sgo") ? [] : ["two striped green ovals"]]);
  check(`one is missing: ${await state()}`, missing.size === 1 && await state() === "80 of 81; missing: two striped green ovals");
  check("an unsure one is named, and drawn is what is missing", await page.value("$('deck-notes').textContent.includes('Unsure, on photo 3: one filled red diamond (62 %)') && document.querySelectorAll('#missing svg').length === 1"));
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  const printed = await page.value("[document.querySelector('#missing .face').getBoundingClientRect().width * 25.4 / 96, $('deck-state').offsetHeight, document.querySelector('header').offsetHeight]");
  check(`printed, a card is 89 mm wide, and nothing else is there: ${printed}`, Math.abs(printed[0] - 89) < 0.5 && printed[1] + printed[2] === 0);
  await shoot(page, "deck-printed");
  await page.send("Emulation.setEmulatedMedia", { media: "" });
  await page.press("#deck-notes button");
  await page.press("#again-deck");
  await page.press("#deck-anew");
  await page.press("#sure-yes");
  check("begun again", await page.value("photosOfDeck().length === 0 && $('deck-notes').children.length === 0"));
  await page.press("#home");
}

/// What a browser may lack, each by a page on which it is so.
async function lacking(browser, url) {
  const with_ = async (script, then) => {
    const page = await browser.open("about:blank");
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
    await page.go(url);
    await then(page);
    await page.close();
  };
  const says = (words) => async (page) => {
    await until(`the words: ${words}`, 15, () => page.value(`!$('trouble').hidden && $('trouble').textContent.includes(${JSON.stringify(words)})`));
  };
  await with_("WebAssembly.validate = () => false", says("too old"));
  await with_("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))", async (page) => {
    await opened(page);
    await page.press("#go-live");
    await says("was not allowed")(page);
    check("photos go on", await page.value("!$('start').hidden"));
  });
  await with_("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotFoundError'))", async (page) => {
    await opened(page);
    await page.press("#go-live");
    await says("use a camera here")(page);
  });
  const black = "navigator.mediaDevices.getUserMedia = async () => { const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 }); const context = canvas.getContext('2d'); setInterval(() => { context.fillStyle = window.isOpen ? '#888' : '#000'; context.fillRect(0, 0, 640, 480); }, 50); return canvas.captureStream(20); }";
  await with_(black, async (page) => {
    await opened(page);
    await page.press("#go-live");
    await until("a word on black pictures", 120, () => page.value("$('trouble').textContent.includes('picture is black')"));
    await page.value("void (window.isOpen = true)");
    await until("a camera that is uncovered", 60, () => page.value("$('trouble').hidden"));
  });
  await with_(`${black}; delete globalThis.VideoFrame; CanvasRenderingContext2D.prototype.getImageData = function (x, y, w, h) { return { data: new Uint8ClampedArray(4 * w * h).map(() => 256 * Math.random()) }; }`, async (page) => {
    await opened(page);
    await page.press("#go-live");
    await says("resistFingerprinting")(page);
    check("photos go on", await page.value("!$('start').hidden"));
  });
  await with_("indexedDB.open = () => { throw new DOMException('', 'SecurityError'); }; Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })", async (page) => {
    await opened(page);
    const { table } = await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
    check("without storage photos are read", table?.cards.length === 12);
    check("and it is said", await until("the note", 5, () => page.value("!$('note').hidden && $('note').textContent.includes('lost on reload')")));
  });
  await with_("Worker = class extends Worker { constructor(url, options) { super('gone.js', options); } }", async (page) => {
    await opened(page);
    await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
    await says("could not be loaded")(page);
    check("it can be tried again", await page.value("!$('retry').hidden"));
  });
}

async function playing(page) {
  await page.press("#home");
  await page.press("#go-daily");
  check("twelve cards, six sets", await page.value("document.querySelectorAll('#board button').length === 12 && game.sets.length === 6"));
  const same = await page.value("[cardsOf(20260321).join(), cardsOf(20260321).join(), cardsOf(20260322).join()]");
  check("a date's cards are the same for all", same[0] === same[1] && same[0] !== same[2]);
  await shootAll(page, "daily");
  for (let i = 0; i < 6; i++) {
    const set = await page.value("openSet()");
    for (const place of set) await page.press(`#board [data-place="${place}"]`);
  }
  check("all are found", await page.value("game.found.length === 6 && $('play-state').textContent.includes('All six')"));
  await shoot(page, "daily-done-390x844");
  await page.value("history.back()");
  await until("the way back leads to the first page", 5, () => page.value("!$('start').hidden"));
  await page.value("history.forward()");
  await until("the way forward leads back", 5, () => page.value("!$('play').hidden && game.found.length === 6"));
  for (const [width, height] of [[1366, 768], [1920, 1080]]) {
    await page.size(width, height);
    await page.value("window.scrollTo(0, 0)");
    await sleep(150);
    await shoot(page, `puzzle-${width}x${height}`);
    const share = await page.value("$('board').getBoundingClientRect().width / innerWidth");
    check(`on a projector of ${width}x${height} the board fills it: ${share}`, share > 0.9 && await page.value("$('play-ways').getBoundingClientRect().bottom <= innerHeight"));
  }
  await page.size(390, 844);
  await page.value("$('puzzle-number').value = 7");
  await page.press("#puzzle-open");
  check("a puzzle by its number", await page.value("game.cards.join() === cardsOf(7).join() && $('play-title').textContent === 'Puzzle 7' && document.title === 'Puzzle 7 · setsight'"));
  await page.press("#home");
  await page.press("#go-deal");
  for (let i = 0; i < 200; i++) {
    const set = await page.value("openSet() ?? null");
    if (!set && await page.value("$('play-none').hidden")) break;
    if (!set) await page.press("#play-none");
    else for (const place of set) await page.value(`pressCard(${place})`);
  }
  check("a game is played to its end", await page.value("game.deck.length === 0 && !openSet() && $('play-state').textContent.includes('over')"));
  await page.press("#home");
}

/// Each control has a name, and the keyboard leads through the page.
async function keyboard(page) {
  for (const view of ["start", "table"]) {
    if (view === "table") await read(page, path.resolve("datasets/samples/1-plain-on-wood.jpg"));
    await page.send("Accessibility.enable");
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const nameless = nodes.filter(({ role, name, ignored }) => !ignored && ["button", "link", "image", "img", "group", "dialog"].includes(role?.value) && !name?.value);
    check(`all controls of ${view} have names: ${JSON.stringify(nameless.map(({ role }) => role.value))}`, nameless.length === 0);
  }
  await page.value("document.activeElement.blur()");
  await page.key("ArrowRight");
  const first = await page.value("shown.chosen");
  await page.key("ArrowRight");
  check("arrows walk from set to set", first && await page.value("shown.chosen") !== first);
  await page.key("Escape");
  check("Escape shows all", await page.value("shown.chosen === null"));
  const reached = new Set();
  for (let i = 0; i < 40; i++) {
    await page.key("Tab");
    reached.add(await page.value("document.activeElement.id || document.activeElement.dataset.set || ''"));
  }
  for (const id of ["home", "again-file", "mode-hints", "set-next"]) check(`Tab reaches ${id}: ${[...reached].join(", ")}`, reached.has(id));
}

async function goLive(page, browser) {
  await page.press("#home");
  await page.value(`(() => {
    window.seen = { answers: 0, times: [] };
    const before = answered;
    answered = (own, table, sent) => {
      before(own, table, sent);
      if (table.error) return;
      seen.answers += 1;
      seen.times.push([sent.taken, performance.now()]);
    };
  })()`);
  await page.press("#go-live");
  await until("sets in the live picture", 60, () => page.value("document.querySelectorAll('#overlay .band').length > 0"));
  await sleep(2000);
  await page.value("Object.assign(seen, { answers: 0, times: [] })");
  await sleep(1000 * liveSeconds);
  await until("more live pictures", 60, () => page.value("seen.answers > 10"));
  const { answers, times } = await page.value("seen");
  const rate = (answers - 1) / ((times.at(-1)[1] - times[0][1]) / 1000);
  say(`live at ${await page.value("$('video').videoWidth + 'x' + $('video').videoHeight")}: ${rate.toFixed(1)} pictures a second, ${Math.round(median(times.map(([taken, drawn]) => drawn - taken)))} ms from camera to outline (median of ${answers})`);
  say(`memory of the module: ${await memoryMb(page)} MB; of the browser's renderers: ${rendererMb(browser)} MB`);
  // What the browser keeps as long as nobody else needs it, such as photos that it has decoded.
  await page.send("Memory.simulatePressureNotification", { level: "critical" });
  await sleep(3000);
  say(`memory of the browser's renderers once memory is short: ${rendererMb(browser)} MB`);
  await shootAll(page, "live");
  await page.value("{ const real = navigator.mediaDevices.enumerateDevices.bind(navigator.mediaDevices); navigator.mediaDevices.enumerateDevices = async () => [...await real(), { kind: 'videoinput', deviceId: 'second' }]; cameras().then((all) => { $('other-camera').hidden = all.length < 2; }); }");
  await until("a second camera", 5, () => page.value("!$('other-camera').hidden"));
  const first = await page.value("live.stream.id");
  await page.press("#other-camera");
  await until("another camera", 20, () => page.value(`live.stream.id !== ${JSON.stringify(first)} && remembered('localStorage', 'camera') === 'second' && $('wait').hidden`));
  // The way back keeps the count.
  await page.value("void (seen.answers = 0)");
  const counted = await page.value("shown.table.frame");
  await page.press("#home");
  await page.press("#go-live");
  await until("the same game", 30, () => page.value(`seen.answers > 3 && shown.table.frame > ${counted}`));
  await page.press("#new-game");
  check("a new game asks", await page.value("$('sure').open"));
  await shoot(page, "live-sure-390x844");
  await page.press("#sure-yes");
  await until("a new game", 10, () => page.value("shown.table.taken.length === 0"));
  const hide = (isHidden) => page.value(`Object.defineProperty(document, "hidden", { get: () => ${isHidden}, configurable: true }), void document.dispatchEvent(new Event("visibilitychange"))`);
  await hide(true);
  // What was on its way comes to its end.
  await sleep(4000);
  const before = await page.value("shown.table.frame");
  await sleep(1500);
  check("in the background it pauses, and says so", await page.value(`shown.table.frame === ${before} && !$('wait').hidden && $('wait-words').textContent.includes('paused')`));
  await hide(false);
  await until("live pictures again", 30, () => page.value(`shown.table.frame > ${before} && $('wait').hidden`));
  await page.value("live.stream.getTracks().forEach((track) => track.stop())");
  await until("a paused camera is told", 5, () => page.value("!$('wait').hidden && $('wait-words').textContent.includes('paused')"));
  await page.press("#stop");
  check("the first page is there again", await page.value("!$('start').hidden"));
}

async function german(browser, url) {
  const page = await browser.open(url, "de-DE,de");
  await opened(page);
  check("the page is in German", await page.value("document.documentElement.lang === 'de' && $('choose').innerText.includes('Fotos auswählen')"));
  await page.dark(true);
  await shootAll(page, "german-dark-start");
  await read(page, path.resolve("datasets/samples/2-fifteen-on-felt.jpg"));
  await shootAll(page, "german-dark-photo");
  await page.press("#set-next");
  await shootAll(page, "german-dark-walk");
  await page.close();
  return page;
}

// ---- In order -----------------------------------------------------------------------------------

const host = new Host();
let browser;
try {
  await host.start();
  browser = new Browser("chromium", path.join(home, "profile"), file("film.mjpeg"));
  await slowNetwork(browser, host);
  await firstPhoto(browser, host.url);
  const page = await browser.open(host.url);
  await opened(page);
  await shootAll(page, "start");
  await photos(page);
  await walking(page);
  await settling(page);
  await correcting(page);
  await keyboard(page);
  await badFiles(page);
  await otherWays(page);
  await deck(page);
  await playing(page);
  await flight(page, host);
  await asApp(browser, page, host);
  await goLive(page, browser);
  const other = await german(browser, host.url);
  await lacking(browser, host.url);
  for (const one of [page, other]) check(`no error on the page: ${one.errors}`, one.errors.length === 0);
  say("all good");
} catch (error) {
  console.error(`web: ${error.message}`);
  process.exitCode = 1;
} finally {
  browser?.end();
  host.end();
}
