// The page: takes a photo or live pictures, sends them, and draws what comes back.
"use strict";

/// Colours of the sets, in their order, as on the pictures of the program.
const SET_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
/// Longest side of a live picture, in pixels, and its JPEG quality.
const LIVE_PX = 1280;
const LIVE_QUALITY = 0.7;
/// Live pictures on their way at once: one is read while the next one travels.
const MOST_PENDING = 2;
/// A connection that does not answer for so long is given up, and tried again after a pause.
const PATIENCE_MS = 4000;
const PAUSE_MS = 700;
/// Largest photo, in bytes.
const MOST_BYTES = 25_000_000;

const $ = (id) => document.getElementById(id);
const key = location.hash.slice(1);
const phone = phoneName();

/// The name of this phone: random, and the same as long as the page is open.
function phoneName() {
  const kept = sessionStorage.getItem("phone");
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const name = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem("phone", name);
  return name;
}

/// What is shown: the table that came last, and what is chosen of it.
const shown = { table: null, chosen: null, hint: { set: 0, cards: 0 }, isLive: false };

// ---- Words and messages -------------------------------------------------------------------------

function putWords() {
  document.documentElement.lang = LANGUAGE;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = words[element.dataset.word];
  }
  for (const element of document.querySelectorAll("[data-label]")) {
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

function wait(word) {
  $("wait").hidden = !word;
  if (word) setText($("wait-words"), words[word]);
}

// ---- Cards and sets -----------------------------------------------------------------------------

const NS = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const SHAPES = {
  d: "M10 0 L20 22 L10 44 L0 22 Z",
  o: "M10 0 A10 10 0 0 1 20 10 V34 A10 10 0 0 1 0 34 V10 A10 10 0 0 1 10 0 Z",
  s: "M13 1 C20 4 19 14 16.5 21 C14.5 27 17 31 19 36 C20.5 41 13 45 7 43 C0 40 1 30 3.5 23 C5.5 17 3 13 1 8 C-.5 3 7 -1 13 1 Z",
};

/// A card as a drawing, by its code: number, shading, colour, shape.
function drawn(code) {
  const [number, shading, color, shape] = code;
  const count = Number(number);
  const fill = { f: `fill-${color}`, o: "fill-none", s: `stripes-${color}` }[shading];
  const symbols = Array.from({ length: count }, (_, i) => svg("path", {
    d: SHAPES[shape], class: `ink-${color} ${fill}`, "stroke-width": 2,
    transform: `translate(${38 + (i - (count - 1) / 2) * 25} 10)`,
  }));
  const face = svg("rect", { class: "face", x: 1, y: 1, width: 94, height: 62, rx: 7 });
  return svg("svg", { class: "card", viewBox: "0 0 96 64", "aria-hidden": "true" }, face, ...symbols);
}

function nameOf(code) {
  const [number, shading, color, shape] = code;
  return words.card(words, Number(number), shading, color, shape);
}

/// Sure sets, then probable ones, each with its place, from which number and colour follow.
function setsOf(table) {
  const sure = table.sets.map((cards) => ({ cards, probable: false }));
  const probable = table.probable_sets.map((set) => (
    { cards: set.cards, probable: true, confidence: set.confidence, decides: set.decided_by }));
  return [...sure, ...probable].map((set, place) => (
    { ...set, place, id: set.cards.map((i) => table.cards[i].code).sort().join(" ") }));
}

const colorOf = (place) => SET_COLORS[place % SET_COLORS.length];
const percent = (confidence) => Math.round(100 * confidence);

/// What can be seen now: all sets, the chosen one, or as many cards of one as were asked for.
function visible(sets) {
  if ($("hints").checked) {
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
  if (!$("hints").checked) {
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
  drawOverlay(table, seen);
  let text = summary(table, sets);
  if ($("hints").checked && seen.length) {
    const names = seen[0].cards.map((i) => nameOf(table.cards[i].code));
    text += `. ${words.hint(names.length, names.join("; "))}`;
  }
  for (const { kind } of table.warnings ?? []) text += ` ${words[`warning-${kind}`] ?? ""}`;
  setText($("summary"), text);
  listSets(table, sets);
  $("hint-ways").hidden = !$("hints").checked;
  const isGame = shown.isLive && table.left !== undefined && table.looked_at;
  $("game").hidden = !isGame;
  if (isGame) setText($("game"), words.game(table.left, table.taken.length));
}

function around(corners, by) {
  const x = corners.reduce((sum, corner) => sum + corner[0], 0) / 4;
  const y = corners.reduce((sum, corner) => sum + corner[1], 0) / 4;
  return corners.map((corner) => [x + (corner[0] - x) * by, y + (corner[1] - y) * by]);
}

function drawOverlay(table, sets) {
  const overlay = $("overlay");
  overlay.setAttribute("viewBox", `0 0 ${table.width} ${table.height}`);
  const sides = table.cards.map(({ corners: [a, b, c] }) => (
    Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), Math.hypot(b[0] - c[0], b[1] - c[1]))));
  const [parts, labels] = [[], []];
  const bands = table.cards.map(() => 0);
  const line = (i, by, width, attributes) => {
    const points = around(table.cards[i].corners, by).map((corner) => corner.join()).join(" ");
    return svg("polygon", { points, "stroke-width": width, ...attributes });
  };
  for (const set of sets) {
    const color = colorOf(set.place);
    const group = svg("g", { class: "band", "data-set": set.id });
    const dash = set.probable ? " probable" : "";
    for (const i of set.cards) {
      const width = sides[i] * 0.035;
      const by = 1.04 + bands[i] * 0.075;
      const dashes = set.probable ? { "stroke-dasharray": `${2.4 * width} ${1.6 * width}` } : {};
      group.append(line(i, by, width * 1.4, { class: "edge" }),
        line(i, by, width, { class: `side${dash}`, stroke: color, ...dashes }));
      labels.push(label(table.cards[i].corners, sides[i] * 0.1, bands[i], color, `${set.place + 1}${set.probable ? "?" : ""}`));
      bands[i] += 1;
    }
    parts.push(group);
  }
  if (!$("hints").checked) {
    table.cards.forEach((card, i) => {
      if (!card.unsure) return;
      const width = sides[i] * 0.03;
      parts.push(line(i, 0.96, width, { class: "unsure", "stroke-dasharray": `${width} ${1.5 * width}` }));
    });
  }
  overlay.replaceChildren(...parts, ...labels);
}

/// A numbered disc on the upper side of a card, one beside the other.
function label(corners, radius, place, color, text) {
  const [start, end] = around(corners, 1.04);
  const length = Math.max(1, Math.hypot(end[0] - start[0], end[1] - start[1]));
  const along = Math.min(0.9, (radius * (1.1 + 2.1 * place)) / length);
  const [x, y] = [start[0] + (end[0] - start[0]) * along, start[1] + (end[1] - start[1]) * along];
  return svg("g", {}, svg("circle", { cx: x, cy: y, r: radius, fill: color, stroke: "#16181c", "stroke-width": radius * 0.12 }),
    Object.assign(svg("text", { x, y, "font-size": radius * (text.length > 1 ? 1.1 : 1.5) }), { textContent: text }));
}

/// The list below the picture. It is made anew only when it changes, for it holds the focus.
function listSets(table, sets) {
  const list = $("sets");
  const listed = $("hints").checked ? [] : sets;
  const state = JSON.stringify([listed.map((set) => [set.id, set.probable, percent(set.confidence ?? 1)]), shown.chosen]);
  if (list.dataset.state === state) return;
  list.dataset.state = state;
  const focus = document.activeElement?.dataset?.set;
  list.replaceChildren(...listed.map((set) => item(table, set)));
  if (focus) list.querySelector(`[data-set="${CSS.escape(focus)}"]`)?.focus();
}

function item(table, set) {
  const codes = set.cards.map((i) => table.cards[i].code);
  const names = codes.map(nameOf).join("; ");
  const name = set.probable ? words.maybe(set.place + 1, percent(set.confidence), names) : words.set(set.place + 1, names);
  const button = html("button", {
    type: "button", "aria-label": name, "aria-pressed": set.id === shown.chosen, "data-set": set.id,
    class: set.probable ? "probable" : "",
  });
  button.style.borderLeftColor = colorOf(set.place);
  button.append(html("span", { class: "number" }, `${set.place + 1}${set.probable ? "?" : ""}`), ...codes.map(drawn));
  if (set.probable) {
    const text = words.decides(percent(set.confidence), nameOf(table.cards[set.decides].code));
    button.append(html("span", { class: "words" }, text));
  }
  button.addEventListener("click", () => choose(set.id));
  return html("li", {}, button);
}

function choose(id) {
  shown.chosen = shown.chosen === id ? null : id;
  if (shown.table) show(shown.table);
}

// ---- Asking the computer ------------------------------------------------------------------------

/// Sends a request with the key. Throws a word for what is wrong.
async function ask(path, body) {
  const headers = { "X-Setsight-Key": key, "X-Setsight-Phone": phone };
  let answer;
  try {
    answer = await fetch(path, body ? { method: "POST", headers, body } : { headers });
  } catch {
    throw new Error("unreachable");
  }
  if (answer.status === 404) throw new Error("stale");
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? "failed");
  return answer;
}

// ---- A photo ------------------------------------------------------------------------------------

/// The photo that was taken last: what comes of an older one counts no more.
let newest = 0;

async function takePhoto(file) {
  const own = ++newest;
  stopLive();
  trouble(null);
  if (file.size > MOST_BYTES) return trouble("too-large");
  startTable(false);
  wait("sending");
  // Read at once: a phone may take the file away.
  const asked = ask("/photo", file);
  showPhoto(file, own, asked);
  const reading = setTimeout(() => wait("reading"), 400);
  try {
    const table = await (await asked).json();
    if (own === newest) show(table);
  } catch (error) {
    if (own !== newest) return;
    $("table").hidden = true;
    trouble(error.message);
  } finally {
    clearTimeout(reading);
    if (own === newest) wait(null);
  }
}

/// Shows the photo itself; where the browser cannot (HEIC), as the computer turns it into a JPEG.
function showPhoto(file, own, asked) {
  const image = $("photo");
  URL.revokeObjectURL(image.src);
  image.alt = words["photo-alt"];
  image.onerror = async () => {
    image.onerror = null;
    try {
      // One request of a phone ends the one before.
      await asked;
      const blob = await (await ask("/picture", file)).blob();
      if (own === newest) image.src = URL.createObjectURL(blob);
    } catch {
      // What is wrong with it is said by the other answer.
    }
  };
  image.src = URL.createObjectURL(file);
  image.hidden = false;
}

function startTable(isLive) {
  Object.assign(shown, { table: null, chosen: null, hint: { set: 0, cards: 0 }, isLive });
  $("secure").hidden = true;
  $("table").hidden = false;
  $("overlay").replaceChildren();
  $("sets").replaceChildren();
  delete $("sets").dataset.state;
  setText($("summary"), "");
  $("game").hidden = true;
  $("hint-ways").hidden = true;
  $("photo").hidden = true;
  $("video").hidden = !isLive;
  $("live-ways").hidden = !isLive;
  $("figures").hidden = !isLive;
  setText($("figures"), "");
}

// ---- Live ---------------------------------------------------------------------------------------

/// What runs: the camera, the connection, the pictures on their way, and when the last answers came.
let live = null;

async function goLive() {
  trouble(null);
  if (!window.isSecureContext || !navigator.mediaDevices) {
    $("secure-link").href = `https://${location.host}/#${key}`;
    $("secure").hidden = false;
    $("secure").scrollIntoView();
    return;
  }
  newest += 1;
  stopLive();
  startTable(true);
  wait("connecting");
  live = { pending: [], answers: [], canvas: document.createElement("canvas"), isDrawing: false };
  if (!await openCamera(live)) return;
  connect(live);
  live.watch = setInterval(() => watch(live), 500);
  keepAwake();
}

async function openCamera(own) {
  try {
    const wish = { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } };
    const stream = await navigator.mediaDevices.getUserMedia({ video: wish, audio: false });
    if (live !== own) {
      stream.getTracks().forEach((track) => track.stop());
      return false;
    }
    own.stream = stream;
    $("video").srcObject = stream;
    await $("video").play();
    return live === own;
  } catch {
    if (live === own) {
      stopLive();
      $("table").hidden = true;
      trouble("no-camera");
    }
    return false;
  }
}

function stopLive() {
  if (!live) return;
  const own = live;
  live = null;
  clearInterval(own.watch);
  clearTimeout(own.retry);
  leave(own);
  own.stream?.getTracks().forEach((track) => track.stop());
  own.lock?.release().catch(() => {});
  $("video").srcObject = null;
}

/// Gives up the connection. What it still says counts no more.
function leave(own) {
  const socket = own.socket;
  own.socket = null;
  own.pending = [];
  if (!socket) return;
  socket.onopen = socket.onmessage = socket.onclose = null;
  socket.close();
}

function connect(own) {
  if (live !== own) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/live`, ["setsight", key, phone]);
  Object.assign(own, { socket, begun: performance.now(), isOpen: false });
  socket.onopen = () => {
    own.isOpen = true;
    own.failures = 0;
    trouble(null);
    pump(own);
  };
  socket.onmessage = (message) => answered(own, JSON.parse(message.data));
  socket.onclose = () => lost(own);
}

/// The connection has ended: it is tried again. Whether the key still holds tells a request.
async function lost(own) {
  if (live !== own) return;
  leave(own);
  own.failures = (own.failures ?? 0) + 1;
  own.retry = setTimeout(() => connect(own), PAUSE_MS);
  try {
    await ask("/hello");
    if (live === own && own.failures > 1) trouble("full");
  } catch (error) {
    if (live === own) trouble(error.message === "unreachable" ? "lost" : error.message);
  }
}

/// Looks every half second for a connection that hangs, as a lost network leaves it.
function watch(own) {
  if (live !== own || document.hidden || !own.socket) return;
  const oldest = own.isOpen ? own.pending[0]?.sent : own.begun;
  if (oldest !== undefined && performance.now() - oldest > PATIENCE_MS) {
    trouble("lost");
    lost(own);
  } else {
    pump(own);
  }
}

/// Sends the camera's next picture if fewer than two are on their way.
function pump(own) {
  const video = $("video");
  if (live !== own || !own.isOpen || own.isDrawing || own.pending.length >= MOST_PENDING || document.hidden) return;
  if (!video.videoWidth) return;
  own.isDrawing = true;
  const draw = () => {
    const taken = performance.now();
    const scale = Math.min(1, LIVE_PX / Math.max(video.videoWidth, video.videoHeight));
    const [width, height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
    if (own.canvas.width !== width || own.canvas.height !== height) Object.assign(own.canvas, { width, height });
    own.canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, width, height);
    own.canvas.toBlob((blob) => {
      own.isDrawing = false;
      if (live !== own || own.socket?.readyState !== WebSocket.OPEN || !blob) return;
      own.socket.send(blob);
      own.pending.push({ taken, sent: performance.now() });
      pump(own);
    }, "image/jpeg", LIVE_QUALITY);
  };
  // The same picture is not sent twice.
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(draw);
  else requestAnimationFrame(draw);
}

function answered(own, table) {
  if (live !== own) return;
  const sent = own.pending.shift();
  wait(null);
  if (table.error) {
    // A slow answer is followed by others.
    trouble(table.error === "slow" ? null : table.error);
  } else {
    trouble(null);
    show(table);
    measure(own, sent);
  }
  pump(own);
}

/// Pictures a second and the median time from camera to outline, over the last answers.
function measure(own, sent) {
  const now = performance.now();
  own.answers.push({ now, ms: now - (sent?.taken ?? now) });
  if (own.answers.length > 60) own.answers.shift();
  if (own.answers.length % 10) return;
  const times = own.answers.map((answer) => answer.ms).sort((a, b) => a - b);
  const seconds = (now - own.answers[0].now) / 1000;
  const rate = (own.answers.length - 1) / seconds;
  setText($("figures"), words.figures(rate.toFixed(1), Math.round(times[times.length >> 1])));
}

async function keepAwake() {
  try {
    const lock = await navigator.wakeLock?.request("screen");
    if (live) live.lock = lock;
    else lock?.release();
  } catch {
    // The phone may sleep then.
  }
}

/// A phone that slept: its camera may be gone, and its connection is.
async function awake() {
  const own = live;
  if (!own) return;
  if (document.hidden) {
    leave(own);
    clearTimeout(own.retry);
    return;
  }
  const isOver = !own.stream || own.stream.getVideoTracks().some((track) => track.readyState === "ended");
  if (isOver && !await openCamera(own)) return;
  if (!own.socket) connect(own);
  keepAwake();
}

// ---- The page -----------------------------------------------------------------------------------

function listen() {
  $("file").addEventListener("change", () => {
    const [file] = $("file").files;
    if (file) takePhoto(file).finally(() => { $("file").value = ""; });
  });
  $("go-live").addEventListener("click", goLive);
  $("secure-back").addEventListener("click", () => { $("secure").hidden = true; });
  $("stop").addEventListener("click", () => { stopLive(); $("table").hidden = true; trouble(null); });
  $("new-game").addEventListener("click", () => live?.isOpen && live.socket?.send("new-game"));
  $("hints").addEventListener("change", () => {
    shown.hint = { set: 0, cards: 0 };
    shown.chosen = null;
    if (shown.table) show(shown.table);
  });
  $("hint-more").addEventListener("click", () => {
    shown.hint.cards = Math.min(3, shown.hint.cards + 1);
    if (shown.table) show(shown.table);
  });
  $("hint-other").addEventListener("click", () => {
    shown.hint = { set: shown.hint.set + 1, cards: 1 };
    if (shown.table) show(shown.table);
  });
  $("overlay").addEventListener("click", (event) => {
    const band = event.target.closest?.("[data-set]");
    if (band && !$("hints").checked) choose(band.dataset.set);
    else if (shown.chosen) choose(shown.chosen);
  });
  document.addEventListener("visibilitychange", awake);
  // Another code was scanned while the page was open.
  window.addEventListener("hashchange", () => location.reload());
  window.addEventListener("pagehide", stopLive);
}

async function start() {
  putWords();
  listen();
  if (!/^[0-9a-f]{32}$/.test(key)) return trouble("no-key");
  try {
    await ask("/hello");
    $("start").hidden = false;
  } catch (error) {
    trouble(error.message);
  }
}

start();
