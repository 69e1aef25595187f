// What a finger does on a photo: it says which card lies there, and enlarges.
"use strict";

/// A finger hits what is so near, in points of the screen.
const NEAR_PX = 22;

// ---- Which card it is ---------------------------------------------------------------------------

/// What is asked for: of which photo, by which key among its fixes, and where it lies.
let asked = null;

/// Where a tap lies on the photo, and the place of the card that it means.
function cardAt({ clientX, clientY }) {
  const { cards, width, height } = shown.table;
  const box = $("overlay").getBoundingClientRect();
  const scale = Math.min(box.width / width, box.height / height);
  const x = (clientX - box.x - (box.width - width * scale) / 2) / scale;
  const y = (clientY - box.y - (box.height - height * scale) / 2) / scale;
  let [place, nearest] = [-1, NEAR_PX / scale];
  cards.forEach(({ corners }, i) => {
    const [u, v] = middleOf(corners);
    const side = Math.hypot(corners[0][0] - corners[1][0], corners[0][1] - corners[1][1]);
    const apart = isWithin(corners, x, y) ? 0 : Math.hypot(u - x, v - y) - side / 3;
    if (apart < nearest) [place, nearest] = [i, apart];
  });
  return { x, y, place, isOn: x >= 0 && y >= 0 && x <= width && y <= height };
}

const middleOf = (corners) => [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / 4);

/// Whether a point lies in a convex outline: on the same side of each edge.
function isWithin(corners, x, y) {
  const sides = corners.map(([a, b], i) => {
    const [c, d] = corners[(i + 1) % corners.length];
    return (c - a) * (y - b) - (d - b) * (x - a) > 0;
  });
  return sides.every((side) => side === sides[0]);
}

/// Three guesses for a card: the reader's, and then what is most like it.
function guessesFor({ code, alternatives = [] }) {
  const near = DECK.filter((one) => [...one].filter((letter, i) => letter !== code[i]).length === 1);
  // A shading is mistaken more often than a colour or a shape.
  const shadings = near.filter((one) => one[1] !== code[1]);
  return [...new Set([code, ...alternatives.map((guess) => guess.code), ...shadings, ...near])].slice(0, 3);
}

/// Asks for the card at a place of what is shown.
function ask(place) {
  const photo = album.photos[album.at];
  const card = shown.table?.cards[place];
  if (!photo?.table || !card) return;
  asked = { photo, key: card.key ?? place, corners: card.corners };
  const read = photo.table.cards[asked.key];
  $("guess-list").replaceChildren(...guessesFor(read ?? card).map((guess) => (
    faceUp(guess, () => settle(guess), photo.fixes[asked.key] === guess, html("span", {}, nameOf(guess))))));
  openGuesses(false, read?.unsure);
}

/// Asks for a card that was not found, where a finger says that it lies: as large as its neighbour.
function add(x, y) {
  const { cards, width } = shown.table;
  const [near] = cards.map(({ corners }) => corners)
    .sort((a, b) => Math.hypot(middleOf(a)[0] - x, middleOf(a)[1] - y) - Math.hypot(middleOf(b)[0] - x, middleOf(b)[1] - y));
  const [w, h] = [width / 12, width / 18];
  const model = near ?? [[-w, -h], [w, -h], [w, h], [-w, h]];
  const [u, v] = middleOf(model);
  asked = { photo: album.photos[album.at], key: `+${randomName()}`, corners: model.map(([a, b]) => [a - u + x, b - v + y]) };
  openGuesses(true);
}

function openGuesses(isNew, isUnsure = false) {
  const { photo, corners } = asked;
  const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [w, h] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const { width, height } = photo.table;
  $("crop").setAttribute("viewBox", [left - 0.15 * w, top - 0.15 * h, 1.3 * w, 1.3 * h].join(" "));
  $("crop").replaceChildren(svg("image", { href: photo.url, width, height, preserveAspectRatio: "none" }));
  $("guess-away").hidden = isNew;
  $("guess-open").hidden = !isUnsure;
  asked.picked = [];
  showPick(isNew);
  $("guesses").showModal();
}

/// Any of the 81, by four taps: a row for each property, drawn with what was picked so far.
function showPick(isPicking) {
  $("guess-list").hidden = $("guess-none").hidden = isPicking;
  $("pick").hidden = !isPicking;
  const like = [...VALUES.map((values, i) => asked.picked[i] ?? values[0])];
  $("pick").replaceChildren(...VALUES.flatMap((values, i) => [...values].map((value) => {
    const code = like.map((one, k) => (k === i ? value : one)).join("");
    const button = faceUp(code, () => {
      asked.picked[i] = value;
      if (VALUES.every((_, k) => asked.picked[k])) settle(asked.picked.join(""));
      else showPick(true);
      $("pick").children[3 * i + values.indexOf(value)]?.focus();
    }, asked.picked[i] === value);
    button.setAttribute("aria-label", `${words.properties[i]}: ${valueName(i, value)}`);
    return button;
  })));
}

function faceUp(code, act, isPressed, ...more) {
  const button = html("button", { type: "button", class: "face-up", "aria-pressed": isPressed, "aria-label": nameOf(code) }, drawn(code), ...more);
  button.addEventListener("click", act);
  return button;
}

/// Takes what was said: a code, "" for no card at all, or `null` for what the reader says.
function settle(code) {
  const { photo, key, corners } = asked;
  $("guesses").close();
  const isOwn = String(key).startsWith("+");
  if (code === null || (isOwn && !code)) delete photo.fixes[key];
  else photo.fixes[key] = isOwn ? { code, corners } : code;
  store(photo);
  showAlbum();
  if (photo === album.photos[album.at]) show(settled(photo.table, photo.fixes));
}

// ---- Enlarging ----------------------------------------------------------------------------------

/// How much the photo is enlarged, where its corner lies then, and the fingers on it.
const zoom = { by: 1, x: 0, y: 0, fingers: new Map(), moved: 0 };

function zoomTo(by, x, y) {
  const { clientWidth, clientHeight } = $("stage");
  by = Math.min(8, Math.max(1, by));
  const within = (at, size) => Math.min(0, Math.max(size * (1 - by), at));
  Object.assign(zoom, { by, x: within(x, clientWidth), y: within(y, clientHeight) });
  for (const id of ["photo", "video", "overlay"]) {
    $(id).style.transform = by === 1 ? "" : `translate(${zoom.x}px, ${zoom.y}px) scale(${by})`;
  }
  $("stage").style.touchAction = by === 1 ? "" : "none";
}

/// Moves and enlarges, so that what lay at one point of the stage lies at the other.
function zoomAround(factor, from, to) {
  const by = Math.min(8, Math.max(1, zoom.by * factor));
  zoomTo(by, to[0] - (from[0] - zoom.x) * by / zoom.by, to[1] - (from[1] - zoom.y) * by / zoom.by);
}

function listenToFingers() {
  const stage = $("stage");
  const at = ({ clientX, clientY }) => {
    const { x, y } = stage.getBoundingClientRect();
    return [clientX - x, clientY - y];
  };
  const { fingers } = zoom;
  const spread = () => {
    const all = [...fingers.values()];
    const middle = [0, 1].map((axis) => all.reduce((sum, one) => sum + one[axis], 0) / all.length);
    return { middle, size: Math.hypot(all[0][0] - middle[0], all[0][1] - middle[1]) };
  };
  stage.addEventListener("pointerdown", (event) => {
    if (!fingers.size) zoom.moved = 0;
    fingers.set(event.pointerId, at(event));
  });
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = spread();
    fingers.set(event.pointerId, at(event));
    const { middle, size } = spread();
    zoom.moved += Math.hypot(middle[0] - before.middle[0], middle[1] - before.middle[1]) + (fingers.size > 1 ? 20 : 0);
    if (fingers.size > 1 || zoom.by > 1) zoomAround(fingers.size > 1 && before.size ? size / before.size : 1, before.middle, middle);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    stage.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId));
  }
  // A touch pad's two fingers come as a wheel with Ctrl.
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomAround(Math.exp(-event.deltaY / 100), at(event), at(event));
  }, { passive: false });
  // What ends a movement is no tap.
  stage.addEventListener("click", (event) => { if (zoom.moved > 10) event.stopPropagation(); }, true);
}

function listenToCorrections() {
  listenToFingers();
  // What is not seen takes no memory.
  $("guesses").addEventListener("close", () => $("crop").replaceChildren());
  $("guess-none").addEventListener("click", () => showPick(true));
  $("guess-open").addEventListener("click", () => settle(null));
  $("guess-away").addEventListener("click", () => settle(""));
  $("guess-cancel").addEventListener("click", () => $("guesses").close());
  const cardOf = (event) => event.target.closest?.("[data-card]")?.dataset.card;
  $("overlay").addEventListener("click", (event) => {
    if (!shown.table) return;
    const { x, y, place, isOn } = cardAt(event);
    const card = shown.table.cards[place];
    const isCorrecting = shown.mode === "correct";
    if (!shown.isLive && card && (isCorrecting || (shown.mode === "sets" && (card.unsure || card.isFixed)))) return ask(place);
    if (isCorrecting) return isOn && add(x, y);
    const band = event.target.closest?.("[data-set]");
    if (band && shown.mode === "sets") choose(band.dataset.set);
    else if (shown.chosen) choose(shown.chosen);
  });
  $("overlay").addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || cardOf(event) === undefined) return;
    event.preventDefault();
    ask(Number(cardOf(event)));
  });
}
