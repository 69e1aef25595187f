// What the page knows of cards, games and decks, without a browser: node --test crates/phone/tests/page
import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import vm from "node:vm";

const PAGE = new URL("../../page/", import.meta.url);

/// As much of an element as the scripts ask for.
class Part {
  constructor() {
    Object.assign(this, { hidden: false, textContent: "", children: [], dataset: {}, attributes: {}, on: {} });
    this.style = { setProperty() {} };
    this.classes = new Set();
    this.classList = { toggle: (name, on) => this.classes[on ? "add" : "delete"](name) };
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  append(...more) { this.children.push(...more); }
  replaceChildren(...all) { this.children = all; }
  addEventListener(name, act) { this.on[name] = act; }
  querySelector() { return null; }
  focus() {}
}

/// The scripts of the page, as far as they need no browser, in one language.
function open(language = "en", kept = {}, more = []) {
  const parts = {};
  const part = (id) => (parts[id] ??= new Part());
  const context = vm.createContext({
    $: part, focused: () => null, crypto, view() {}, trouble() {}, stopLive() {},
    setText: (element, text) => { element.textContent = text; },
    navigator: { languages: [language] }, location: { hash: `#${"0".repeat(32)}` }, album: { photos: [] }, window: new Part(),
    document: { getElementById: part, createElement: () => new Part(), createElementNS: () => new Part(), addEventListener() {} },
    remembered: (_, name) => kept[name] ?? null,
    remember: (_, name, value) => { kept[name] = value; },
    faceUp: () => new Part(),
  });
  for (const name of ["words", "cards", "play", "deck", ...more]) {
    vm.runInContext(fs.readFileSync(new URL(`${name}.js`, PAGE), "utf8"), context);
  }
  const get = (code) => vm.runInContext(code, context);
  // What comes from the other context has other prototypes.
  return { parts, context, get, plain: (code) => JSON.parse(JSON.stringify(get(code))) };
}

test("a deck has 81 cards in a fixed order, and 1080 sets", () => {
  const { get } = open();
  assert.equal(get("new Set(DECK).size"), 81);
  assert.equal(get("DECK[0] + DECK[1] + DECK[80]"), "1frd1fro3sps");
  assert.equal(get("setsAmong(DECK).length"), 1080);
});

test("two cards have one third, whichever way round", () => {
  const { get } = open();
  assert.equal(get("DECK.every((a) => DECK.every((b) => a === b || (isSet([a, b, thirdOf(a, b)]) && thirdOf(a, b) === thirdOf(b, a))))"), true);
  assert.equal(get("thirdOf('1frd', '2sgo')"), "3ops");
});

test("what breaks a set is told, all of it", () => {
  const { plain } = open();
  for (const [codes, broken] of [
    [["1frd", "2sgo", "3ops"], []], [["1frd", "1frd", "1frd"], []],
    [["1frd", "2frd", "2frd"], [0]], [["1frd", "1fgd", "1fgo"], [2, 3]], [["1frd", "1frd", "2sgo"], [0, 1, 2, 3]],
  ]) assert.deepEqual(plain(`brokenIn(${JSON.stringify(codes)})`), broken, codes.join());
});

test("a set of cards that lie twice is listed once", () => {
  const { plain } = open();
  assert.deepEqual(plain("setsAmong(['1frd', '2sgo', '3ops', '1frd'])"), [[0, 1, 2]]);
});

test("what a person says of cards gives the sets", () => {
  const { context, plain } = open();
  const card = (code, unsure = false) => ({ code, unsure, corners: [[0, 0]], confidence: unsure ? 0.5 : 1 });
  context.table = {
    cards: [card("1frd"), card("2sgo"), card("3opo", true), card("2fpo")],
    sets: [], probable_sets: [{ cards: [1, 2, 3], confidence: 0.6, decided_by: 2 }], probable_sets_left_out: 1,
  };
  const told = (fixes) => plain(`(({ cards, sets, probable_sets }) => [cards.map(({ code }) => code).join(" "), sets, probable_sets.map(({ cards, decided_by }) => [cards, decided_by])])(settled(table, ${JSON.stringify(fixes)}))`);
  const probable = [[[1, 2, 3], 2]];
  for (const [what, fixes, expected] of [
    ["nothing", {}, ["1frd 2sgo 3opo 2fpo", [], probable]],
    ["an unsure one", { 2: "3ops" }, ["1frd 2sgo 3ops 2fpo", [[0, 1, 2]], []]],
    ["a sure one", { 3: "3ops" }, ["1frd 2sgo 3opo 3ops", [[0, 1, 3]], []]],
    ["none there", { 0: "" }, ["2sgo 3opo 2fpo", [], [[[0, 1, 2], 1]]]],
    ["one was missed", { "+a": { code: "3ops", corners: [[1, 1]] } }, ["1frd 2sgo 3opo 2fpo 3ops", [[0, 1, 4]], probable]],
    ["one was missed, and one is none", { "+a": { code: "3ops", corners: [[1, 1]] }, 2: "" }, ["1frd 2sgo 2fpo 3ops", [[0, 1, 3]], []]],
  ]) assert.deepEqual(told(fixes), expected, what);
});

test("both languages have the same words, and all that the page asks for", () => {
  const { plain } = open();
  const kinds = (language) => plain(`Object.entries(WORDS.${language}).map(([key, word]) => [key, typeof word]).sort()`);
  assert.deepEqual(kinds("de"), kinds("en"));
  const known = new Set(kinds("en").map(([key]) => key));
  const asked = (name, pattern) => [...fs.readFileSync(new URL(name, PAGE), "utf8").matchAll(pattern)].map((match) => match[1]);
  const scripts = fs.readdirSync(PAGE).filter((name) => name.endsWith(".js"));
  const all = [
    ...asked("index.html", /data-(?:word|label)="([^"]+)"/g),
    ...scripts.flatMap((name) => [...asked(name, /words\.([a-zA-Z]+)/g), ...asked(name, /words\["([^"]+)"\]/g), ...asked(name, /sure\("[^"]+", "([^"]+)"/g), ...asked(name, /(?:new Error|note|trouble|wait|sure)\("([^"]+)"/g)]),
  ];
  assert.ok(all.length > 100, `only ${all.length}`);
  assert.deepEqual(all.filter((word) => !known.has(word) && word !== "js"), []);
});

test("cards have names in both languages", () => {
  const [english, german] = [open(), open("de-AT")];
  for (const [code, en, de] of [
    ["1fro", "one filled red oval", "ein gefülltes rotes Oval"], ["1spd", "one striped purple diamond", "eine gestreifte lila Raute"],
    ["3ogs", "three open green squiggles", "drei leere grüne Wellen"],
  ]) {
    assert.equal(english.get(`nameOf("${code}")`), en);
    assert.equal(german.get(`nameOf("${code}")`), de);
  }
  assert.equal(german.get("REGION"), "de-AT");
  assert.equal(english.get("words.noSet(['Colour', 'Shape'])"), "Not a set: colour and shape don't fit.");
  assert.equal(german.get("words.noSet(['Farbe'])"), "Kein Set: Farbe passt nicht.");
});

test("a puzzle's number gives the same cards on every device and in every version", () => {
  const { get } = open();
  assert.equal(get("cardsOf(20260321).join(' ')"), "2sps 2oro 1sro 3ogo 2ogs 3spo 3sgd 3sps 3ors 1frd 2frd 2opd");
  assert.equal(get("cardsOf(7).join(' ')"), "2sps 1ord 3fgo 3ors 2fro 1sps 3sps 3fro 1ogs 1srd 3ogd 2oro");
  assert.equal(get("[1, 7, 20261128].every((n) => setsAmong(cardsOf(n)).length === 6)"), true);
  assert.equal(get("today(new Date(2026, 0, 5, 23, 59))"), 20260105);
});

test("three that are no set stay marked until another card is pressed, with all that does not fit", () => {
  const { parts, get, plain } = open();
  get("playPuzzle(7)");
  const places = plain("(() => { for (let i = 0; ; i++) if (brokenIn(game.cards.slice(i, i + 3)).length > 1) return [i, i + 1, i + 2]; })()");
  for (const place of places) get(`pressCard(${place})`);
  assert.deepEqual(plain("game.wrong"), places);
  assert.equal(parts.board.children.filter(({ classes }) => classes.has("wrong")).length, 3);
  const broken = plain(`brokenIn(${JSON.stringify(places)}.map((i) => game.cards[i])).map((i) => words.properties[i])`);
  for (const property of broken) assert.ok(parts["play-why"].textContent.includes(property.toLowerCase()), property);
  get("pressCard(0)");
  assert.deepEqual(plain("[game.wrong, game.pressed.size]"), [[], 1]);
});

test("the third card is offered to two that are pressed", () => {
  const { parts, get } = open();
  get("playPuzzle(7)");
  const offered = [];
  for (const place of [0, 1]) {
    get(`pressCard(${place})`);
    offered.push(!parts["play-third"].hidden);
  }
  assert.deepEqual(offered, [false, true]);
});

test("a puzzle and a game go on where they were", () => {
  const kept = {};
  const first = open("en", kept);
  first.get("playPuzzle(7)");
  first.get("for (const i of openSet()) pressCard(i)");
  first.get("playDeal()");
  assert.equal(first.get("dealt()"), null, "nothing was found yet");
  first.get("while (!openSet()) game.cards.push(...game.deck.splice(0, 3)); for (const i of openSet()) pressCard(i)");
  const again = open("en", kept);
  again.get("playPuzzle(7)");
  assert.equal(again.get("game.found.length"), 1);
  again.get("playDeal()");
  assert.equal(again.get("game.cards.join() + game.deck.join()"), first.get("game.cards.join() + game.deck.join()"));
  again.get("playDeal(null)");
  assert.equal(again.get("game.found.length"), 0);
});

test("a card on the board has its own frame and no other", () => {
  const style = fs.readFileSync(new URL("page.css", PAGE), "utf8");
  assert.match(style, /:is\(#board, #pick\) \.face-up\[aria-pressed=false\] \{ border-color: transparent/);
});

test("a stray tap on a card is cancelled", () => {
  const { parts, get } = open("en", {}, ["correct"]);
  get("listenToCorrections()");
  let closed = 0;
  parts.guesses.close = () => { closed += 1; };
  parts["guess-cancel"].on.click();
  assert.equal(closed, 1);
});

test("live is left at once, but for a game that is being counted", () => {
  const { context, get } = open("en", {}, ["live"]);
  const done = [];
  Object.assign(context, { shown: { table: { taken: [] } }, goHome: () => done.push("home"), sure: (word) => done.push(word) });
  get("stopLive = () => {}; listenToLive(); live = {}");
  get("$('stop').on.click(); shown.table.taken = [[]]; $('stop').on.click(); live = null; $('stop').on.click()");
  assert.deepEqual(done, ["home", "stop-sure", "home"]);
});

test("an address with a wrong key has the field to type it", async () => {
  const { parts, context, get } = open("en", {}, ["computer"]);
  context.XMLHttpRequest = class {
    constructor() { Object.assign(this, { upload: {}, status: 404 }); }
    open() {}
    setRequestHeader() {}
    send() { this.onload(); }
  };
  parts.typed = Object.assign(new Part(), { hidden: true });
  await assert.rejects(get(`tab = "1"; reader.start()`), /stale/);
  assert.equal(parts.typed.hidden, false);
});

test("a deck's missing cards are told once all photos are there, or few are missing", () => {
  const { parts, context, get, plain } = open();
  const photo = (codes) => ({ isOfDeck: true, state: "done", fixes: {}, table: { cards: codes.map((code) => ({ code, confidence: 1 })), sets: [], probable_sets: [] } });
  const deck = plain("DECK");
  const shown = () => [parts["deck-state"].textContent, parts.missing.children.length, parts["deck-print"].hidden, parts["deck-all"].hidden];
  context.album.photos = [photo(deck.slice(0, 27))];
  get("showDeck()");
  assert.deepEqual(shown(), ["27 of 81 so far. Photograph the next cards.", 0, true, false]);
  get("isDeckWhole = true; showDeck()");
  assert.deepEqual(shown(), ["27 of 81; missing: 54", 54, false, true]);
  get("isDeckWhole = false");
  context.album.photos = [photo(deck.slice(0, 40)), photo(deck.slice(40, 80)), photo(["1frd"])];
  get("showDeck()");
  assert.deepEqual(shown(), ["80 of 81; missing: three striped purple squiggles", 1, false, true]);
  assert.equal(parts["deck-notes"].children.length, 1, "one lies twice");
  context.album.photos.push(photo(["3sps"]));
  get("showDeck()");
  assert.deepEqual(shown(), ["81 of 81: the deck is complete", 0, true, true]);
  // A photo of another table does not count, until it is chosen.
  context.album.photos.push({ ...photo(["1frd"]), isOfDeck: false });
  get("showDeck()");
  const pressed = () => parts["deck-photos"].children.map((button) => button.attributes["aria-pressed"]);
  assert.deepEqual(pressed(), [true, true, true, true, false]);
  assert.equal(parts["deck-notes"].children.length, 1);
});
