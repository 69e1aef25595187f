// The page: takes photos, has them read, and draws what comes back.
"use strict";

/// With more sets than this only their numbers are drawn until one is chosen.
const MOST_OUTLINED = 6;

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);
/** @type {(selector: string) => any[]} */
const $$ = (selector) => [...document.querySelectorAll(selector)];
/** @type {() => any} */
const focused = () => document.activeElement;

/// What is shown: the table, and what is chosen of it.
const shown = { table: null, chosen: null, hint: { set: 0, cards: 0 }, isLive: false, mode: "sets" };

/// The photos of this tab, and which of them is shown.
const album = { photos: [], at: null, isWorking: false, isTold: false };

// ---- Words and messages -------------------------------------------------------------------------

function putWords() {
  document.documentElement.lang = LANGUAGE;
  for (const element of $$("[data-word]")) {
    element.textContent = words[element.dataset.word];
  }
  for (const element of $$("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
  }
}

function setText(element, text) {
  // A reader of screens says what changes.
  if (element.textContent !== text) element.textContent = text;
}

function trouble(word) {
  $("trouble").hidden = !word;
  setText($("trouble"), word ? words[word] ?? words.failed : "");
}

/// Says something that is no trouble, with a button if there is something to do.
function note(word, act) {
  $("note").replaceChildren(words[word]);
  if (act) {
    const button = html("button", { type: "button", class: "plain slim" }, words[`${word}-act`]);
    button.addEventListener("click", act);
    $("note").append(" ", button);
  }
  $("note").hidden = false;
}

const newVersion = (take) => note("new-version", take);

/// Says what is waited for, which part of it has come, and how large it is.
function wait(word, part, size) {
  $("wait").hidden = !word;
  if (word) setText($("wait-words"), [words[word], size].filter(Boolean).join(" "));
  $("wait-part").hidden = !word || part === undefined;
  if (part !== undefined) $("wait-part").value = part;
}

/// Shows one of the page's views, with its name as the title.
function view(name, title = "") {
  for (const one of ["start", "secure", "table", "play", "deck"]) $(one).hidden = one !== name;
  const isOther = document.body.dataset.view !== name;
  document.body.dataset.view = name;
  document.title = title ? `${title} · setsight` : "setsight";
  $("again").hidden = name !== "table";
  if (name !== "table") stopLive();
  $("go-photos").hidden = !album.photos.some(({ isOfDeck }) => !isOfDeck);
  setText($("go-deal"), words[dealt() ? "deal-on" : "deal"]);
  // The browser's own way back leads to the first page, and its way forward here.
  if (name !== "start") history[history.state?.view ? "replaceState" : "pushState"]({ view: name }, "");
  window.scrollTo(0, 0);
  // A reader of screens goes on from here.
  if (isOther) $(name).focus({ preventScroll: true });
}

/// Goes where the browser's history is.
function follow() {
  const name = history.state?.view;
  if (name === document.body.dataset.view) return;
  if (isCounting()) {
    // It stays where it is until the answer.
    history.pushState({ view: document.body.dataset.view }, "");
    return leaveLive(goHome);
  }
  if (name === "table" && album.photos.length) openPhoto(album.at);
  else if (name === "play" && game) openGame();
  else if (name === "deck") openDeck();
  else goHome();
}

/// Asks before something is lost, with the words of what would be done.
function sure(word, act, done) {
  setText($("sure-title"), words[word]);
  setText($("sure-yes"), words[act]);
  $("sure-yes").onclick = () => { $("sure").close(); done(); };
  $("sure").showModal();
}

// ---- Cards and sets -----------------------------------------------------------------------------

/// Sure sets, then probable ones, each with its place, from which number and colour follow.
function setsOf(table) {
  const sure = table.sets.map((cards) => ({ cards, probable: false }));
  const probable = table.probable_sets.map((set) => (
    { cards: set.cards, probable: true, confidence: set.confidence, decides: set.decided_by }));
  return [...sure, ...probable].map((set, place) => (
    { ...set, place, id: set.cards.map((i) => table.cards[i].code).sort().join(" ") }));
}

/// What can be seen now: all sets, the chosen one, or as many cards of one as were asked for.
function visible(sets) {
  if (shown.mode === "correct") return [];
  if (shown.mode === "hints") {
    const sure = sets.filter((set) => !set.probable);
    if (!sure.length || !shown.hint.cards) return [];
    const set = sure[shown.hint.set % sure.length];
    return [{ ...set, cards: set.cards.slice(0, shown.hint.cards) }];
  }
  const chosen = sets.filter((set) => set.id === shown.chosen);
  return chosen.length ? chosen : sets;
}

function summary(table, sets) {
  if (table.looked_at === false) return words.looking;
  if (!table.cards.length) return words["no-cards"];
  const unsure = table.cards.filter((card) => card.unsure).length;
  const parts = [words.cards(table.cards.length)];
  const sure = sets.filter((set) => !set.probable).length;
  if (shown.mode !== "hints") {
    parts.push(sure || !unsure ? words.sets(sure) : words["no-sure"]);
    const probable = sets.length - sure + (table.probable_sets_left_out ?? 0);
    if (probable) parts.push(words.probable(probable));
  } else if (!sure) {
    parts.push(words["hint-none"]);
  }
  if (unsure) parts.push(words.unsure(unsure));
  return parts.join(", ");
}

function show(table) {
  shown.table = table;
  const sets = setsOf(table);
  if (!sets.some((set) => set.id === shown.chosen)) shown.chosen = null;
  const seen = visible(sets);
  drawOverlay(table, sets, seen);
  let text = summary(table, sets);
  if (shown.mode === "hints" && seen.length) {
    const names = seen[0].cards.map((i) => nameOf(table.cards[i].code));
    text += `. ${words.hint(names.length, names.join("; "))}`;
  }
  if (shown.mode === "correct") text += `. ${words["tap-correct"]}`;
  else if (shown.mode === "sets" && !shown.isLive && table.cards.some((card) => card.unsure)) text += `. ${words["tap-unsure"]}`;
  for (const { kind } of table.warnings ?? []) text += ` ${words[`warning-${kind}`] ?? ""}`;
  setText($("summary"), text);
  listSets(table, sets);
  explain(table, sets);
  showButtons(sets);
  const isGame = shown.isLive && table.left !== undefined && table.looked_at;
  $("game").hidden = !isGame;
  if (isGame) setText($("game"), words.game(table.left, table.taken.length));
}

/// The buttons below the picture are always there, named for what they do, and off when nothing is left.
function showButtons(sets) {
  const sure = sets.filter((set) => !set.probable).length;
  const { cards } = shown.hint;
  $("modes").hidden = false;
  $("mode-correct").hidden = shown.isLive;
  $("hint-ways").hidden = shown.mode !== "hints" || (!shown.isLive && !sets.length);
  $("set-ways").hidden = shown.mode !== "sets" || sets.length < 2;
  $("photo-ways").hidden = shown.isLive;
  $("save").hidden = shown.mode === "correct";
  setText($("hint-more"), cards === 0 ? words["hint-first"] : words["hint-next"]);
  $("hint-more").disabled = !sure || cards === 3;
  $("hint-other").disabled = sure < 2 || !cards;
  const place = sets.findIndex((set) => set.id === shown.chosen);
  setText($("set-all"), place < 0 ? words.walk : words.walked(place + 1, sets.length));
  $("set-all").disabled = place < 0;
  for (const mode of MODES) $(`mode-${mode}`).setAttribute("aria-pressed", String(mode === shown.mode));
}

function around(corners, by) {
  const [x, y] = middleOf(corners);
  return corners.map((corner) => [x + (corner[0] - x) * by, y + (corner[1] - y) * by]);
}

const pathOf = (corners) => `M${corners.map((corner) => corner.join()).join("L")}Z`;

function drawOverlay(table, sets, seen) {
  const overlay = $("overlay");
  const focus = focused()?.closest?.("#overlay [data-card]")?.dataset.card;
  overlay.setAttribute("viewBox", `0 0 ${table.width} ${table.height}`);
  const sides = table.cards.map(({ corners: [a, b, c] }) => (
    Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), Math.hypot(b[0] - c[0], b[1] - c[1]))));
  const [parts, labels] = [[], []];
  const bands = table.cards.map(() => 0);
  const line = (i, by, width, attributes) => {
    const points = around(table.cards[i].corners, by).map((corner) => corner.join()).join(" ");
    return svg("polygon", { points, "stroke-width": width, fill: "none", "stroke-linejoin": "round", ...attributes });
  };
  const isOne = seen.length === 1 && (shown.mode === "hints" || shown.chosen);
  if (isOne) {
    const holes = seen[0].cards.map((i) => pathOf(around(table.cards[i].corners, 1.06))).join("");
    const all = `M0 0H${table.width}V${table.height}H0Z`;
    parts.push(svg("path", { class: "dim", d: all + holes, "fill-rule": "evenodd", "fill-opacity": 0.55 }));
  }
  const isCrowded = seen.length > MOST_OUTLINED;
  for (const set of seen) {
    const color = colorOf(set.place);
    const group = svg("g", { class: "band", "data-set": set.id });
    const dash = set.probable ? " probable" : "";
    for (const i of set.cards) {
      const width = sides[i] * 0.035;
      const by = 1.04 + (isCrowded ? 0 : bands[i] * 0.075);
      const dashes = set.probable ? { "stroke-dasharray": `${2.4 * width} ${1.6 * width}` } : {};
      if (!isCrowded || !bands[i]) {
        group.append(line(i, by, width * 1.4, { class: "edge", stroke: "#000", "stroke-opacity": 0.45 }),
          line(i, by, width, { class: `side${dash}`, stroke: isCrowded ? "#fff" : color, ...dashes }));
      }
      labels.push(label(table.cards[i].corners, sides[i] * (isOne ? 0.13 : 0.1), bands[i], color, `${set.place + 1}${set.probable ? "?" : ""}`));
      bands[i] += 1;
    }
    parts.push(group);
  }
  const isAsked = (card) => !shown.isLive && (shown.mode === "correct" || (shown.mode === "sets" && (card.unsure || card.isFixed)));
  const asks = table.cards.flatMap((card, i) => (isAsked(card) ? [askable(table, i, sides[i], line)] : []));
  overlay.replaceChildren(...parts, ...asks, ...labels);
  if (focus) overlay.querySelector(`[data-card="${focus}"]`)?.focus();
}

/// A card that a tap settles: with a question mark while it is unsure, with a tick when it was settled, and
/// drawn as it was read when all can be corrected.
function askable(table, i, side, line) {
  const { corners, unsure, code, isFixed } = table.cards[i];
  const [x, y] = middleOf(corners);
  const width = side * 0.03;
  const radius = side * 0.17;
  const outline = line(i, 0.96, width, { stroke: "#fff", "stroke-dasharray": `${width} ${1.5 * width}` });
  const name = words[unsure ? "ask" : isFixed ? "asked" : "read"](nameOf(code));
  const group = svg("g", { class: "ask", "data-card": i, role: "button", tabindex: 0, "aria-label": name }, outline);
  if (shown.mode === "correct") {
    const [left, top] = [x - side * 0.3, Math.max(...corners.map((corner) => corner[1])) - side * 0.2];
    const face = drawn(code);
    for (const [key, value] of Object.entries({ x: left, y: top, width: side * 0.6, height: side * 0.4 })) face.setAttribute(key, String(value));
    group.append(face);
  }
  if (unsure || isFixed) {
    group.append(svg("circle", { class: "sign", cx: x, cy: y, r: radius, fill: "#fff", stroke: "#16181c", "stroke-width": radius * 0.1 }),
      sign(x, y, radius * 1.3, unsure ? "?" : "✓"));
  }
  return group;
}

const sign = (x, y, size, text) => Object.assign(svg("text", {
  x, y, "font-size": size, "font-weight": 700, "font-family": "system-ui, sans-serif", "text-anchor": "middle", "dominant-baseline": "central", fill: "#16181c",
}), { textContent: text });

/// A numbered disc on the upper side of a card, one beside the other.
function label(corners, radius, place, color, text) {
  const [start, end] = around(corners, 1.04);
  const length = Math.max(1, Math.hypot(end[0] - start[0], end[1] - start[1]));
  const along = Math.min(0.9, (radius * (1.1 + 2.1 * place)) / length);
  const [x, y] = [start[0] + (end[0] - start[0]) * along, start[1] + (end[1] - start[1]) * along];
  return svg("g", {}, svg("circle", { cx: x, cy: y, r: radius, fill: color, stroke: "#16181c", "stroke-width": radius * 0.12 }),
    sign(x, y, radius * (text.length > 1 ? 1.1 : 1.5), text));
}

/// The list beside the picture. It is made anew only when it changes, for it holds the focus.
function listSets(table, sets) {
  const list = $("sets");
  const listed = shown.mode === "sets" ? sets : [];
  const state = JSON.stringify([listed.map((set) => [set.id, set.probable, percent(set.confidence ?? 1)]), shown.chosen]);
  if (list.dataset.state === state) return;
  list.dataset.state = state;
  const focus = focused()?.dataset?.set;
  list.replaceChildren(...listed.map((set) => item(table, set)));
  if (focus) list.querySelector(`[data-set="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

function item(table, set) {
  const codes = set.cards.map((i) => table.cards[i].code);
  const names = codes.map(nameOf).join("; ");
  const number = `${set.place + 1}${set.probable ? "?" : ""}`;
  const decides = set.probable ? words.decides(percent(set.confidence), nameOf(table.cards[set.decides].code)) : "";
  const name = set.probable ? words.maybe(number, decides, names) : words.set(number, names);
  const button = html("button", {
    type: "button", "aria-label": name, "aria-pressed": set.id === shown.chosen, "data-set": set.id,
    class: set.probable ? "probable" : "",
  });
  button.style.borderLeftColor = colorOf(set.place);
  button.append(html("span", { class: "number" }, number), ...codes.map(drawn));
  if (decides) button.append(" ", html("span", { class: "words" }, decides));
  button.addEventListener("click", () => choose(set.id));
  return html("li", {}, button);
}

/// Why the chosen set, or the one that a hint shows in full, is one.
function explain(table, sets) {
  const [set] = visible(sets);
  const isShown = set && (shown.mode === "hints" ? set.cards.length === 3 : shown.chosen);
  $("detail").hidden = !isShown;
  // On a small screen there is room for one of them.
  $("summary").hidden = Boolean(isShown);
  const state = isShown ? set.id : "";
  if ($("detail").dataset.state === state) return;
  $("detail").dataset.state = state;
  $("detail").replaceChildren();
  if (!isShown) return;
  const codes = set.cards.map((i) => table.cards[i].code);
  $("detail").append(html("h2", {}, words.why(set.place + 1)), whyLines(codes));
}

function choose(id) {
  shown.chosen = shown.chosen === id ? null : id;
  if (shown.table) show(shown.table);
}

/// The set before or after the chosen one.
function walk(by) {
  if (!shown.table) return;
  const sets = setsOf(shown.table);
  const place = sets.findIndex((set) => set.id === shown.chosen);
  const next = place < 0 ? (by > 0 ? 0 : sets.length - 1) : (place + by + sets.length) % sets.length;
  shown.chosen = sets[next]?.id ?? null;
  show(shown.table);
}

// ---- Photos -------------------------------------------------------------------------------------

/// Takes photos in, shows the first of them, and has one after the other read.
function takePhotos(files, folders = []) {
  if (!files.length) return;
  if (isCounting()) return leaveLive(() => takePhotos(files, folders));
  stopLive();
  trouble(null);
  const first = album.photos.length;
  const isOfDeck = !$("deck").hidden;
  for (const file of files) {
    const photo = { id: randomName(), file, name: file.name ?? "", fixes: {}, table: null, picture: null, isOfDeck, word: folders.includes(file) ? "folder" : wrongWith(file), state: "waiting" };
    if (photo.word) photo.state = "failed";
    else keep.put(photo).catch(() => {});
    album.photos.push(photo);
  }
  album.at = Math.min(first, album.photos.length - 1);
  while (album.photos.length > MOST_PHOTOS) {
    note("most");
    forget(album.photos.find((photo) => photo.isOfDeck !== isOfDeck) ?? album.photos[0]);
  }
  if (isOfDeck) showDeck();
  else openPhoto(Math.max(0, album.at));
  work();
}

/// A word for what needs no reading to be refused.
function wrongWith(file) {
  if (/^video\//.test(file.type)) return "film";
  if (/^(text|audio)\/|^application\/(pdf|zip|json)/.test(file.type)) return "unreadable";
  if (!file.size) return "empty";
  if (file.size > reader.mostBytes) return "too-large";
  return null;
}

function forget(photo) {
  const place = album.photos.indexOf(photo);
  if (place < 0) return;
  album.photos.splice(place, 1);
  if (photo.url) URL.revokeObjectURL(photo.url);
  if (album.at > place) album.at -= 1;
  keep.drop(photo.id).catch(() => {});
}

/// Reads what waits, one after the other.
async function work() {
  if (album.isWorking) return;
  album.isWorking = true;
  let photo;
  while ((photo = nextToRead())) {
    photo.state = "reading";
    showAlbum();
    try {
      const own = photo;
      const { table, picture } = await reader.read(photo.file, (...told) => tell(own, ...told));
      Object.assign(photo, { table, picture: picture ?? photo.picture, state: "done", word: null });
      store(photo);
    } catch (error) {
      const word = await canBeRead(photo.file) ? error.message : "gone";
      Object.assign(photo, { state: "failed", word });
      // Nor would it be read after a reload.
      if (isFinal(word)) keep.drop(photo.id).catch(() => {});
    }
    if (!$("deck").hidden) showDeck();
    else if (photo === album.photos[album.at] && !live) showPhoto();
    await drawThumb(photo);
    showAlbum();
  }
  album.isWorking = false;
}

/// Whether the browser still gives a file out: not when it was changed or deleted since it was chosen.
const canBeRead = (file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false);

/// What is shown is read first.
function nextToRead() {
  const waiting = album.photos.filter((photo) => photo.state === "waiting");
  return waiting.find((photo) => photo === album.photos[album.at]) ?? waiting[0];
}

function tell(photo, word, part, size) {
  photo.told = [word, word === "reading" ? undefined : part, size];
  if (photo === album.photos[album.at] && !live) wait(...photo.told);
}

/// Keeps a photo with what was read on it until the tab is closed; says once that the browser does not.
async function store(photo) {
  try {
    await keep.put(photo);
  } catch {
    if (!album.isTold) note("not-kept");
    album.isTold = true;
  }
}

function openPhoto(place) {
  startTable(false);
  album.at = place;
  const photo = album.photos[place];
  $("again-deck").hidden = !photo.isOfDeck;
  const image = $("photo");
  photo.url ??= URL.createObjectURL(photo.picture ?? photo.file);
  image.alt = words["photo-alt"];
  image.onload = () => setRatio(image.naturalWidth, image.naturalHeight);
  image.onerror = () => {
    image.onerror = null;
    image.hidden = true;
    if (photo.state === "done") showOwnPicture(photo);
  };
  image.hidden = false;
  image.src = photo.url;
  showAlbum();
  showPhoto();
}

/// What is wrong with the file itself stays wrong.
const isFinal = (word) => ["film", "unreadable", "too-large", "empty", "format", "gone", "folder"].includes(word);

/// The state of the photo that is open.
function showPhoto() {
  const photo = album.photos[album.at];
  wait(null);
  trouble(photo.state === "failed" ? photo.word : null);
  $("retry").hidden = photo.state !== "failed" || isFinal(photo.word);
  if (photo.state === "waiting" || photo.state === "reading") {
    wait(...(photo.state === "reading" && photo.told ? photo.told : ["waiting"]));
  }
  if (photo.state === "failed") setText($("summary"), photo.name);
  $("stage").hidden = photo.state === "failed" && isFinal(photo.word);
  if (photo.state !== "done") return;
  if ($("photo").hidden) showOwnPicture(photo);
  setRatio(photo.table.width, photo.table.height);
  show(settled(photo.table, photo.fixes));
}

/// A photo that the browser cannot show (HEIC), as the reader turns it into a JPEG.
async function showOwnPicture(photo) {
  try {
    photo.picture ??= await reader.picture?.(photo.file) ?? null;
    if (!photo.picture) return;
    URL.revokeObjectURL(photo.url);
    photo.url = URL.createObjectURL(photo.picture);
    store(photo);
    drawThumb(photo).then(showAlbum);
    if (photo !== album.photos[album.at] || shown.isLive) return;
    $("photo").src = photo.url;
    $("photo").hidden = false;
  } catch {
    // What is wrong with it is said by the other answer.
  }
}

/// Photos of more pixels are in the album by their numbers alone: a browser decodes all of one at once.
const MOST_THUMB_PIXELS = 64_000_000;

/// A small picture of a photo, for the album; none where the browser cannot show it.
async function drawThumb(photo) {
  if (photo.table?.width * photo.table?.height > MOST_THUMB_PIXELS) return;
  const bitmap = await createImageBitmap(photo.picture ?? photo.file, { resizeHeight: 80, resizeQuality: "medium" }).catch(() => null);
  if (!bitmap) return;
  photo.thumb = html("canvas", { width: bitmap.width, height: bitmap.height });
  photo.thumb.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
}

function showAlbum() {
  // The same small pictures: they are where they are seen.
  if (!$("deck").hidden) return showDeck();
  $("album").hidden = shown.isLive || album.photos.length < 2;
  $("album").replaceChildren(...album.photos.map((photo, place) => {
    const mark = { done: "", failed: "!", waiting: "…", reading: "…" }[photo.state];
    const count = photo.table ? words.cards(settled(photo.table, photo.fixes).cards.length) : photo.state === "failed" ? words.failed : words.waiting;
    const button = html("button", { type: "button", class: "plain slim", "aria-pressed": place === album.at, "aria-label": words.photo(place + 1, count) },
      ...photo.thumb ? [photo.thumb] : [], `${place + 1}${mark}`);
    button.addEventListener("click", () => { stopLive(); openPhoto(place); work(); });
    return button;
  }));
  $("remove-all").hidden = album.photos.length < 2;
  $("album").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/// Deletes the photo that is open, or all of them.
function remove(photos) {
  const { isOfDeck } = album.photos[album.at];
  photos.forEach(forget);
  const left = album.photos.filter((photo) => photo.isOfDeck === isOfDeck);
  if (isOfDeck) openDeck();
  else if (left.length) openPhoto(album.photos.indexOf(left.at(-1)));
  else goHome();
}

/// The photo with what is drawn on it, handed to another app or saved.
async function savePicture() {
  if (!isCanvasTrue()) return trouble("noise");
  const { naturalWidth: width, naturalHeight: height } = $("photo");
  const canvas = html("canvas", { width, height });
  const overlay = $("overlay").cloneNode(true);
  overlay.querySelectorAll(".ask").forEach((one) => one.remove());
  for (const [key, value] of Object.entries({ width, height, xmlns: NS })) overlay.setAttribute(key, String(value));
  const marks = new Image();
  marks.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(overlay)], { type: "image/svg+xml" }));
  await marks.decode();
  for (const image of [$("photo"), marks]) canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(marks.src);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  const file = new File([blob], "sets.jpg", { type: "image/jpeg" });
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    return navigator.share({ files: [file] }).catch(() => {});
  }
  const url = URL.createObjectURL(file);
  html("a", { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/// The picture's sides, by which it has its place before it is there.
function setRatio(width, height) {
  $("stage").style.setProperty("--ratio", width / Math.max(1, height));
}

function startTable(isLive) {
  const mode = isLive && shown.mode === "correct" ? "sets" : shown.mode;
  Object.assign(shown, { table: null, chosen: null, hint: { set: 0, cards: 0 }, isLive, mode });
  zoomTo(1, 0, 0);
  view("table", words[isLive ? "live" : "album"]);
  $("stage").hidden = false;
  $("overlay").replaceChildren();
  $("sets").replaceChildren();
  delete $("sets").dataset.state;
  setText($("summary"), "");
  // A large photo that is not seen takes no memory.
  $("photo").removeAttribute("src");
  for (const id of ["game", "hint-ways", "set-ways", "detail", "retry", "photo", "album", "photo-ways"]) $(id).hidden = true;
  $("modes").hidden = !isLive;
  $("video").hidden = !isLive;
  $("live-ways").hidden = !isLive;
}

// ---- The page -----------------------------------------------------------------------------------

const MODES = ["sets", "hints", "correct"];

function setMode(mode) {
  Object.assign(shown, { mode, hint: { set: 0, cards: 0 }, chosen: null });
  if (shown.table) show(shown.table);
  else showButtons([]);
}

function goHome() {
  stopLive();
  trouble(null);
  view("start");
}

function listenToFiles() {
  for (const input of $$("input[type=file]")) {
    input.addEventListener("change", () => {
      takePhotos([...input.files]);
      input.value = "";
    });
  }
  const isForUs = (event) => $("secure").hidden && event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!isForUs(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!isForUs(event)) return;
    event.preventDefault();
    const { items, files } = event.dataTransfer;
    const entries = [...items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.());
    takePhotos([...files], [...files].filter((file, i) => entries[i]?.isDirectory));
  });
  document.addEventListener("paste", (event) => {
    if (["start", "table", "deck"].every((view) => $(view).hidden)) return;
    takePhotos([...event.clipboardData?.files ?? []]);
  });
}

function listen() {
  listenToFiles();
  listenToLive();
  listenToPlay();
  listenToDeck();
  listenToCorrections();
  $("home").addEventListener("click", () => leaveLive(goHome));
  $("go-photos").addEventListener("click", () => openPhoto(album.photos.indexOf(album.photos.filter(({ isOfDeck }) => !isOfDeck).at(-1))));
  $("sure-no").addEventListener("click", () => $("sure").close());
  window.addEventListener("popstate", follow);
  window.addEventListener("beforeunload", (event) => { if (reader.holdsGame?.()) event.preventDefault(); });
  $("retry").addEventListener("click", () => {
    const photo = album.photos[album.at];
    Object.assign(photo, { state: "waiting", word: null });
    showPhoto();
    work();
  });
  for (const mode of MODES) $(`mode-${mode}`).addEventListener("click", () => setMode(mode));
  $("remove").addEventListener("click", () => sure("remove-sure", "remove", () => remove([album.photos[album.at]])));
  $("remove-all").addEventListener("click", () => sure("remove-all-sure", "remove-all", () => remove([...album.photos])));
  $("save").addEventListener("click", savePicture);
  for (const dialog of $$("dialog")) {
    dialog.addEventListener("click", ({ target, clientX, clientY }) => {
      const { left, right, top, bottom } = dialog.getBoundingClientRect();
      const isBeside = clientX < left || clientX > right || clientY < top || clientY > bottom;
      if (target === dialog && isBeside) dialog.close();
    });
  }
  $("hint-more").addEventListener("click", () => {
    shown.hint.cards = Math.min(3, shown.hint.cards + 1);
    if (shown.table) show(shown.table);
  });
  $("hint-other").addEventListener("click", () => {
    shown.hint = { set: shown.hint.set + 1, cards: 1 };
    if (shown.table) show(shown.table);
  });
  $("set-before").addEventListener("click", () => walk(-1));
  $("set-next").addEventListener("click", () => walk(1));
  $("set-all").addEventListener("click", () => choose(shown.chosen));
  document.addEventListener("keydown", (event) => {
    if ($("table").hidden || shown.mode !== "sets" || event.altKey || event.ctrlKey || event.metaKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "ArrowLeft") walk(-1);
    else if (event.key === "ArrowRight") walk(1);
    else if (event.key === "Escape" && shown.chosen) choose(shown.chosen);
  });
}

/// A board for the first page, with one of its sets marked.
function drawExample() {
  const codes = ["1frd", "2sgo", "3ops", "2spd", "1ogs", "2fpo", "3ogd", "3srs", "2frs"];
  const set = setsAmong(codes)[0];
  $("what-example").append(...set.map((i) => drawn(codes[i])));
  $("what-why").replaceWith(whyLines(set.map((i) => codes[i])));
  $("example").replaceChildren(...codes.map((code, i) => {
    const card = drawn(code);
    if (set.includes(i)) card.classList.add("in-set");
    return card;
  }));
}

/// Brings back what was read before the page was reloaded.
async function restore() {
  const kept = await keep.all().catch(() => []);
  if (!kept.length) return;
  for (const photo of kept) album.photos.push({ ...photo, state: photo.table ? "done" : "waiting", word: null });
  Promise.all(album.photos.map(drawThumb)).then(showAlbum);
  if (album.photos.at(-1).isOfDeck) openDeck();
  else openPhoto(album.photos.length - 1);
  work();
}

/// Takes what another app shares.
async function receive() {
  const number = Math.floor(Number(new URLSearchParams(location.search).get("puzzle")));
  if (number > 0) playPuzzle(number);
  takePhotos(await reader.shared?.().catch(() => []) ?? []);
}

async function start() {
  $("old").remove();
  // Other ways to the same choices, on the other views.
  for (const label of $$("[data-input]")) {
    const { input } = label.dataset;
    const view = label.closest("section")?.id ?? "again";
    label.append(Object.assign($(input).cloneNode(), { id: `${view}-${input}` }));
  }
  putWords();
  drawExample();
  listen();
  setText($("privacy"), words[reader.privacy]);
  try {
    await reader.start();
    view("start");
    await restore();
    await receive();
  } catch (error) {
    trouble(error.message);
  }
}

start();
