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

/// The twelve cards of a puzzle, by its number, which is a day's date such as 20260321: the same for all.
function cardsOf(number) {
  const random = randomFrom(number);
  for (;;) {
    const cards = shuffled(random).slice(0, TABLE);
    if (setsAmong(cards).length === DAILY_SETS) return cards;
  }
}

/// The date as a number such as 20260321.
function today(now = new Date()) {
  return 10_000 * now.getFullYear() + 100 * (now.getMonth() + 1) + now.getDate();
}

/// What is played: the cards, the places that are pressed, the sets that were found.
let game = null;

/// The puzzle of the day, or another one by its number.
function playPuzzle(number) {
  const cards = cardsOf(number);
  const sets = setsAmong(cards).map((set) => set.join());
  const found = (remembered("localStorage", `puzzle-${number}`) ?? "").split(" ").filter((set) => sets.includes(set));
  game = { number, cards, deck: [], found: [...new Set(found)], pressed: new Set(), wrong: [], hint: [], sets };
  openGame();
}

/// The game that this tab plays, if it has been begun and is not over.
function dealt() {
  try {
    const kept = JSON.parse(remembered("sessionStorage", "deal"));
    return kept?.found.length && (kept.deck.length || setsAmong(kept.cards).length) ? kept : null;
  } catch {
    return null;
  }
}

/// Deals, or goes on with what was dealt.
function playDeal(kept = dealt()) {
  const deck = shuffled(randomFrom(crypto.getRandomValues(new Uint32Array(1))[0]));
  const begun = kept ?? { cards: deck.splice(0, TABLE), deck, found: [] };
  game = { number: null, ...begun, pressed: new Set(), wrong: [], hint: [], sets: [] };
  openGame();
}

function openGame() {
  trouble(null);
  setText($("play-why"), "");
  showGame();
  view("play", $("play-title").textContent);
}

function titleOf(number) {
  if (number === null) return words.deal;
  if (number !== today()) return words.puzzle(number);
  return words.dailyTitle(new Date().toLocaleDateString(REGION, { dateStyle: "long" }));
}

function showGame() {
  const { number, cards, found, deck, pressed, wrong, hint } = game;
  const isPuzzle = number !== null;
  if (!isPuzzle) remember("sessionStorage", "deal", JSON.stringify({ cards, found, deck }));
  setText($("play-title"), titleOf(number));
  const isOver = isPuzzle ? found.length === game.sets.length : !deck.length && !setsAmong(cards).length;
  setText($("play-state"), isPuzzle ? (isOver ? words[number === today() ? "daily-done" : "puzzle-done"] : words.found(found.length, game.sets.length))
    : isOver ? words["deal-done"] : words.dealState(found.length, deck.length));
  $("play-none").hidden = isPuzzle || isOver;
  $("play-again").hidden = isPuzzle;
  $("puzzle-ways").hidden = !isPuzzle;
  $("puzzle-link").hidden = Boolean(location.hash);
  if (isPuzzle) $("puzzle-number").value = number;
  $("play-hint").hidden = pressed.size === 2;
  $("play-hint").disabled = isOver || hint.length === 3 || !openSet();
  setText($("play-hint"), hint.length ? words["hint-next"] : words["hint-first"]);
  $("play-third").hidden = pressed.size !== 2;
  const focus = focused()?.dataset?.place;
  $("board").style.setProperty("--columns", Math.ceil(cards.length / 3));
  $("board").replaceChildren(...cards.map((code, i) => {
    const button = faceUp(code, () => pressCard(i), pressed.has(i));
    button.dataset.place = String(i);
    button.classList.toggle("hinted", hint.includes(i));
    button.classList.toggle("wrong", wrong.includes(i));
    return button;
  }));
  if (focus !== undefined) $("board").querySelector(`[data-place="${focus}"]`)?.focus();
  const list = isPuzzle ? found.map((set) => set.split(",").map((i) => cards[i])) : found;
  $("found").replaceChildren(...list.map((codes) => html("li", { "aria-label": codes.map(nameOf).join("; ") }, ...codes.map(drawn))));
}

/// A set that was not found yet, as places.
function openSet() {
  return setsAmong(game.cards).find((set) => game.number === null || !game.found.includes(set.join()));
}

function pressCard(i) {
  const { pressed, cards } = game;
  if (!pressed.delete(i)) pressed.add(i);
  setText($("play-why"), "");
  game.wrong = [];
  if (pressed.size === 3) judge([...pressed].sort((a, b) => a - b), cards);
  showGame();
}

function judge(places, cards) {
  const codes = places.map((i) => cards[i]);
  game.pressed = new Set();
  if (!isSet(codes)) {
    // They stay marked until another card is pressed.
    game.wrong = places;
    setText($("play-why"), words.noSet(brokenIn(codes).map((i) => words.properties[i])));
    return;
  }
  if (game.number !== null) {
    const set = places.join();
    if (game.found.includes(set)) return setText($("play-why"), words["found-before"]);
    game.found.push(set);
    remember("localStorage", `puzzle-${game.number}`, game.found.join(" "));
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
  $("go-daily").addEventListener("click", () => playPuzzle(today()));
  $("go-deal").addEventListener("click", () => playDeal());
  $("play-again").addEventListener("click", () => {
    if (dealt()) sure("deal-sure", "play-again", () => playDeal(null));
    else playDeal(null);
  });
  $("play-hint").addEventListener("click", () => {
    const set = openSet();
    const isOld = !set || !game.hint.every((i) => set.includes(i));
    if (set) game.hint = set.slice(0, isOld ? 1 : game.hint.length + 1);
    showGame();
  });
  $("play-third").addEventListener("click", () => {
    const [a, b] = [...game.pressed].map((i) => game.cards[i]);
    const third = thirdOf(a, b);
    $("play-why").replaceChildren(words.third(nameOf(third), game.cards.includes(third)), drawn(third));
  });
  $("puzzle-open").addEventListener("click", () => {
    const number = Math.floor(Number($("puzzle-number").value));
    if (number > 0 && number < 2 ** 32) playPuzzle(number);
    else setText($("play-why"), words["puzzle-range"]);
  });
  $("puzzle-number").addEventListener("keydown", ({ key }) => key === "Enter" && $("puzzle-open").click());
  $("puzzle-link").addEventListener("click", () => {
    const link = `${location.href.replace(/[?#].*/, "")}?puzzle=${game.number}`;
    navigator.clipboard?.writeText(link).then(() => setText($("puzzle-link"), words["puzzle-copied"]), () => setText($("play-why"), link));
  });
  $("play-letters").addEventListener("click", () => showLetters(remembered("localStorage", "letters") !== "yes"));
  showLetters(remembered("localStorage", "letters") === "yes");
  $("play-full").hidden = !document.fullscreenEnabled;
  $("play-full").addEventListener("click", () => (
    document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
  $("play-none").addEventListener("click", () => {
    if (setsAmong(game.cards).length) setText($("play-why"), words["there-is-one"]);
    else game.cards.push(...game.deck.splice(0, 3));
    showGame();
  });
}

/// Letters on the cards, for those who do not tell the colours apart.
function showLetters(isOn) {
  remember("localStorage", "letters", isOn ? "yes" : "no");
  document.body.classList.toggle("letters", isOn);
  $("play-letters").setAttribute("aria-pressed", String(isOn));
}
