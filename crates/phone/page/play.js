// Playing by drawn cards, without a photo: the puzzle of the day, and a game against nobody.
"use strict";

/// Sets in the puzzle of the day, and on the table when cards are dealt.
const DAILY_SETS = 6;
const TABLE = 12;

/// Numbers from 0 up to 1, the same on every device (mulberry32).
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled(random) {
  const deck = [...DECK];
  for (let i = deck.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

/// The twelve cards of a day, by its date such as 2026-03-21: the same for all.
function cardsOf(date) {
  const random = randomFrom(Number(date.replaceAll("-", "")));
  for (;;) {
    const cards = shuffled(random).slice(0, TABLE);
    if (setsAmong(cards).length === DAILY_SETS) return cards;
  }
}

function today() {
  const now = new Date();
  const two = (n) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/// What is played: the cards, the places that are pressed, the sets that were found.
let game = null;

function playDaily() {
  const date = today();
  const cards = cardsOf(date);
  const sets = setsAmong(cards).map((set) => set.join());
  const found = (remembered("localStorage", `daily-${date}`) ?? "").split(" ").filter((set) => sets.includes(set));
  game = { date, cards, deck: [], found: [...new Set(found)], pressed: new Set(), hint: [], sets };
  openGame();
}

function playDeal() {
  const deck = shuffled(randomFrom(crypto.getRandomValues(new Uint32Array(1))[0]));
  game = { date: null, cards: deck.splice(0, TABLE), deck, found: [], pressed: new Set(), hint: [], sets: [] };
  openGame();
}

function openGame() {
  trouble(null);
  stopLive();
  view("play");
  setText($("play-why"), "");
  showGame();
}

function showGame() {
  const { date, cards, found, deck } = game;
  setText($("play-title"), date ? words.dailyTitle(new Date(`${date}T12:00`).toLocaleDateString(LANGUAGE, { dateStyle: "long" })) : words.deal);
  const isOver = date ? found.length === game.sets.length : !deck.length && !setsAmong(cards).length;
  setText($("play-state"), date ? (isOver ? words["daily-done"] : words.found(found.length, game.sets.length))
    : isOver ? words["deal-done"] : words.dealState(found.length, deck.length));
  $("play-none").hidden = Boolean(date) || isOver;
  $("play-again").hidden = Boolean(date);
  $("play-hint").disabled = isOver || game.hint.length === 3 || !openSet();
  setText($("play-hint"), game.hint.length ? words["hint-next"] : words["hint-first"]);
  const focus = document.activeElement?.dataset?.place;
  $("board").replaceChildren(...cards.map((code, i) => {
    const button = html("button", { type: "button", class: "face-up", "data-place": i, "aria-pressed": game.pressed.has(i), "aria-label": nameOf(code) }, drawn(code));
    button.classList.toggle("hinted", game.hint.includes(i));
    button.addEventListener("click", () => pressCard(i));
    return button;
  }));
  if (focus !== undefined) $("board").querySelector(`[data-place="${focus}"]`)?.focus();
  const list = date ? found.map((set) => set.split(",").map((i) => cards[i])) : found;
  $("found").replaceChildren(...list.map((codes) => html("li", { "aria-label": codes.map(nameOf).join("; ") }, ...codes.map(drawn))));
}

/// A set that was not found yet, as places.
function openSet() {
  return setsAmong(game.cards).find((set) => !game.date || !game.found.includes(set.join()));
}

function pressCard(i) {
  const { pressed, cards } = game;
  if (!pressed.delete(i)) pressed.add(i);
  setText($("play-why"), "");
  if (pressed.size === 3) judge([...pressed].sort((a, b) => a - b), cards);
  showGame();
}

function judge(places, cards) {
  const codes = places.map((i) => cards[i]);
  game.pressed = new Set();
  if (!isSet(codes)) {
    const broken = why(codes).findIndex(({ kind }) => kind === "two");
    setText($("play-why"), words.noSet(words.properties[broken]));
    return;
  }
  if (game.date) {
    const set = places.join();
    if (game.found.includes(set)) return setText($("play-why"), words["found-before"]);
    game.found.push(set);
    remember("localStorage", `daily-${game.date}`, game.found.join(" "));
  } else {
    game.found.unshift(codes);
    const isLarge = cards.length > TABLE;
    for (const i of places.reverse()) {
      const next = isLarge ? undefined : game.deck.shift();
      if (next) cards[i] = next;
      else cards.splice(i, 1);
    }
  }
  game.hint = [];
  setText($("play-why"), words["is-set"]);
}

function listenToPlay() {
  $("go-daily").addEventListener("click", playDaily);
  $("go-deal").addEventListener("click", playDeal);
  $("play-again").addEventListener("click", playDeal);
  $("play-hint").addEventListener("click", () => {
    const set = openSet();
    const isOld = !set || !game.hint.every((i) => set.includes(i));
    if (set) game.hint = set.slice(0, isOld ? 1 : game.hint.length + 1);
    showGame();
  });
  $("play-none").addEventListener("click", () => {
    if (setsAmong(game.cards).length) setText($("play-why"), words["there-is-one"]);
    else game.cards.push(...game.deck.splice(0, 3));
    showGame();
  });
}
