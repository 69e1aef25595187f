// Whether a deck is complete: what several photos of it show together.
"use strict";

/// With more missing cards than this they are only drawn.
const MOST_NAMED = 9;

const photosOfDeck = () => album.photos.filter((photo) => photo.isOfDeck);

/// Whether all photos are there that there will be: until then more are asked for.
let isDeckWhole = false;

function openDeck() {
  trouble(null);
  view("deck", words.deck);
  showDeck();
}

/// All photos, those that count by the numbers that notes name: a tap takes one in or leaves it out.
function showWhichCount(numbers) {
  $("deck-which").hidden = !album.photos.length;
  $("deck-photos").replaceChildren(...album.photos.map((photo) => {
    const n = numbers.get(photo);
    const mark = n ?? (photo.thumb ? "" : photo.name);
    const button = html("button", { type: "button", class: "plain slim", "aria-pressed": n !== undefined, "aria-label": words.deckPhoto(n, photo.name) },
      ...photo.thumb ? [photo.thumb] : [], String(mark));
    button.addEventListener("click", () => {
      photo.isOfDeck = !photo.isOfDeck;
      store(photo);
      showDeck();
      $("deck-photos").children[album.photos.indexOf(photo)]?.focus();
    });
    return button;
  }));
}

/// In which photos each card lies, by its code; and the cards that are unsure.
function tally(photos) {
  const places = new Map(DECK.map((code) => [code, []]));
  const unsure = [];
  for (const { table, fixes, n } of photos) {
    for (const card of settled(table, fixes).cards) {
      if (card.unsure) unsure.push({ card, n });
      else places.get(card.code).push(n);
    }
  }
  return { places, unsure };
}

function showDeck() {
  const photos = photosOfDeck().map((photo, i) => ({ ...photo, n: i + 1, own: photo }));
  showWhichCount(new Map(photosOfDeck().map((photo, i) => [photo, i + 1])));
  const waiting = photos.filter(({ state }) => ["waiting", "reading"].includes(state)).length;
  const { places, unsure } = tally(photos.filter(({ table }) => table));
  const missing = DECK.filter((code) => !places.get(code).length);
  const there = DECK.length - missing.length;
  const isFew = missing.length <= MOST_NAMED;
  const names = isFew ? missing.map(nameOf) : [];
  const isKnown = !waiting && there > 0 && (isDeckWhole || isFew);
  setText($("deck-state"), waiting ? words.deckReads(photos.length - waiting + 1, photos.length)
    : isKnown ? words.deckState(there, missing.length, names.join("; "))
      : there ? words.deckSoFar(there) : photos.length ? words["no-cards"] : "");
  const line = ({ own }, text) => {
    const button = html("button", { type: "button", class: "plain slim" }, text);
    button.addEventListener("click", () => openPhoto(album.photos.indexOf(own)));
    return html("li", {}, button);
  };
  const twice = [...places].filter(([, at]) => at.length > 1);
  $("deck-notes").replaceChildren(
    ...twice.map(([code, at]) => line(photos[at[1] - 1], words.deckTwice(nameOf(code), [...new Set(at)].join(", ")))),
    ...unsure.map(({ card, n }) => line(photos[n - 1], words.deckUnsure(n, nameOf(card.code), percent(card.confidence)))),
    ...photos.filter(({ state }) => state === "failed").map((photo) => line(photo, words.deckFailed(photo.n, words[photo.word] ?? words.failed))),
  );
  $("missing").replaceChildren(...isKnown ? missing.map((code) => html("li", { "aria-label": nameOf(code) }, drawn(code))) : []);
  $("deck-print").hidden = !isKnown || !missing.length;
  $("deck-all").hidden = waiting > 0 || !there || isKnown;
  $("deck-anew").hidden = !photos.length;
}

function listenToDeck() {
  $("go-deck").addEventListener("click", openDeck);
  $("again-deck").addEventListener("click", () => leaveLive(openDeck));
  $("deck-print").addEventListener("click", () => window.print());
  $("deck-all").addEventListener("click", () => { isDeckWhole = true; showDeck(); });
  $("deck-anew").addEventListener("click", () => sure("remove-all-sure", "deck-anew", () => {
    isDeckWhole = false;
    photosOfDeck().forEach(forget);
    showDeck();
  }));
}
