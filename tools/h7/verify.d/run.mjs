// Runs the board's scripts on MicroPython (WebAssembly) with stand-ins for the firmware's modules.
//
// Usage: node run.mjs EXPORTED_FOLDER DATA_FOLDER CACHE_FOLDER PYTHON
// Prints lines of JSON; exit code 1 when something is not as it must be.

import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as firmware from "./firmware.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [exported, data, cache, python] = process.argv.slice(2);
const entry = createRequire(path.join(cache, "x.js")).resolve(
  "@micropython/micropython-webassembly-pyscript/micropython.mjs",
);
const { loadMicroPython } = await import(pathToFileURL(entry));

// Memory that scripts may take: of 328 KB the board has some 100 left beside network, arena, the grey
// picture and the scripts themselves.
const IMPORT_LIMIT = 56 * 1024;
const CALL_LIMIT = 32 * 1024;
// Seventeen numbers a card, and what the collector, which takes numbers for addresses, cannot give back.
const KEPT_LIMIT = 44 * 1024;
// Frames that a table is shown for, and frames of an empty one in between.
const SHOWN = 8;
const CLEARED = 3;
// Of the cards of all tables so many must be right, and no more than so many (rounded up) read as
// others. All photos with known corners take part, whatever they show (measured: 0.95), and drawn
// tables of twelve kinds (0.96). Where a few photos stand for all, they say less.
const LEAST_RIGHT = { drawn: 0.93, photo: 0.93, fewPhotos: 0.9 };
const MOST_WRONG = 0.005;
// The firmware in three shapes, and every how many of the photos are shown to each (0: none).
const FIRMWARE = [
  { name: "4.5.0", shape: "4", modules: ["image", "tf", "sensor"], every: 0 },
  { name: "4.x", shape: "4", modules: ["image", "ml", "sensor"], every: 7 },
  { name: "5.x", shape: "5", modules: ["image", "ml", "csi"], every: 1 },
];

let failed = false;
function tell(line, good) {
  if (!good) failed = true;
  console.log(JSON.stringify({ ...line, good }));
}

// ---- the network on TFLite-Micro ----------------------------------------------------------------

const pipes = fs.mkdtempSync(path.join(data, "pipes-"));
const [into, out] = ["in", "out"].map((name) => path.join(pipes, name));
execFileSync("mkfifo", [into, out]);
const worker = spawn(python, [path.join(here, "worker.py"), path.join(exported, "board", "card.tflite"), into, out], {
  stdio: ["ignore", "inherit", "inherit"],
});
const given = fs.openSync(into, "w");
const made = fs.openSync(out, "r");
function network(bytes) {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(given, bytes, at);
  const result = Buffer.alloc(17);
  for (let at = 0; at < 17; ) {
    const n = fs.readSync(made, result, at, 17 - at);
    if (n === 0) throw new Error("the network's process ended");
    at += n;
  }
  return Array.from(new Int8Array(result.buffer, result.byteOffset, 17));
}
const report = JSON.parse(fs.readFileSync(path.join(exported, "desk", "report.json")));
const { scale, zero_point: zero } = report.network.output;

// ---- a board ------------------------------------------------------------------------------------

async function board(shape, heapsize, modules) {
  const lines = [];
  const state = { frames: [], shown: 0, drawn: { line: 0, text: 0 }, predictions: 0 };
  const mp = await loadMicroPython({ heapsize, stdout: (line) => lines.push(line) });
  // Pictures are numbered; old colour ones are forgotten, the grey one lives on.
  const pictures = new Map();
  let next = 1;
  const keep = (img) => {
    pictures.set(next, img);
    const old = pictures.get(next - 200);
    if (old && old.pixels instanceof Uint16Array) pictures.delete(next - 200);
    return next++;
  };
  const get = (handle) => pictures.get(handle);
  mp.registerJsModule("_firmware", {
    shape: () => shape,
    make: (w, h, gray) => keep(firmware.make(w, h, gray)),
    draw_image: (h, of) => void firmware.drawImage(get(h), get(of)),
    adaptive_threshold: (h, reach, offset, invert) =>
      void firmware.adaptiveThreshold(get(h), reach, offset, invert),
    dilate: (h, reach) => void firmware.dilate(get(h), reach),
    get_bytes: (h) => Buffer.from(get(h).pixels.buffer).toString("hex"),
    set_bytes: (h, hex) => {
      const bytes = Buffer.from(hex, "hex");
      get(h).pixels.forEach((_, i) => (get(h).pixels[i] = bytes.readUInt16LE(2 * i)));
    },
    get_pixel: (h, x, y) => get(h).pixels[y * get(h).width + x],
    set_pixel: (h, x, y, v) => void (get(h).pixels[y * get(h).width + x] = v),
    percentile: (h, roi, part) => firmware.percentile(get(h), JSON.parse(roi), part),
    otsu: (h, roi) => firmware.otsu(get(h), JSON.parse(roi)),
    find_blobs: (h, low, high, least, area, stride) =>
      JSON.stringify(firmware.findBlobs(get(h), low, high, least, area, stride)),
    copy: (h, roi, xScale, yScale) => keep(firmware.copy(get(h), JSON.parse(roi), xScale, yScale)),
    rotation_corr: (h, corners) => void firmware.rotationCorr(get(h), JSON.parse(corners)),
    gains: (h, r, g, b) => void firmware.gains(get(h), [r, g, b]),
    drawn: (what) => void state.drawn[what]++,
    predict: (h) => {
      state.predictions++;
      const values = network(firmware.networkInput(get(h)));
      return JSON.stringify(values.map((v) => (v - zero) * scale));
    },
    snapshot: () => {
      const img = firmware.make(320, 240);
      const pixels = state.frames[Math.min(state.shown++, state.frames.length - 1)];
      if (pixels) img.pixels.set(pixels);
      else img.pixels.fill(0x2124);
      return keep(img);
    },
  });
  // The self-test and its pictures beside what the board always has.
  for (const part of ["board", "desk"]) {
    for (const name of fs.readdirSync(path.join(exported, part))) {
      mp.FS.writeFile(`/${name}`, fs.readFileSync(path.join(exported, part, name)));
    }
  }
  for (const name of modules) {
    mp.FS.writeFile(`/${name}.py`, fs.readFileSync(path.join(here, "fake", `${name}.py`)));
  }
  mp.runPython("import sys\nsys.path.insert(0, '/')\nimport os\nos.chdir('/')");
  return { mp, lines, state };
}

// ---- the set finder and memory ------------------------------------------------------------------

const boards = JSON.parse(fs.readFileSync(path.join(data, "boards.json")));
{
  const { mp, lines } = await board("5", 4 << 20, []);
  mp.FS.writeFile("/boards.json", JSON.stringify(boards.map((b) => b.board)));
  mp.runPython(`
import gc, json
gc.collect()
before = gc.mem_alloc()
import set_finder
gc.collect()
imported = gc.mem_alloc() - before
with open("/boards.json") as file:
    boards = json.load(file)
found = []
most = 0
for board in boards:
    gc.collect()
    at = gc.mem_alloc()
    sets = set_finder.find_sets(board)
    most = max(most, gc.mem_alloc() - at)
    found.append(sets)
print(json.dumps([imported, most]))
print(json.dumps(found))
# Codes there and back.
for card in range(81):
    assert set_finder.parse(set_finder.code(card)) == card
`);
  const [imported, most] = JSON.parse(lines[0]);
  const found = JSON.parse(lines[1]);
  const wrong = boards.filter((b, i) => JSON.stringify(b.sets) !== JSON.stringify(found[i])).length;
  const sets = boards.reduce((n, b) => n + b.sets.length, 0);
  tell(
    { check: "set_finder.py", boards: boards.length, sets, boards_that_differ: wrong, import_bytes: imported, most_bytes_a_call: most },
    wrong === 0 && boards.length >= 1000 && imported <= IMPORT_LIMIT && most <= CALL_LIMIT,
  );
}

// ---- the whole program --------------------------------------------------------------------------

const listed = JSON.parse(fs.readFileSync(path.join(data, "frames.json")));
const framesFor = (every) => [
  ...listed.filter((f) => f.kind === "drawn"),
  ...listed.filter((f) => f.kind === "photo").filter((_, i) => every > 0 && i % every === 0),
];
const pixelsOf = (name) => {
  const bytes = fs.readFileSync(path.join(data, "frames", `${name}.bin`));
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
// The lowest bit of green flickers, as a camera's does.
function noisy(pixels, seed) {
  let state = seed * 2654435761;
  return pixels.map((p) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 30 ? p : p ^ 0x20;
  });
}

for (const { name: version, shape, modules, every } of FIRMWARE) {
  const { mp, lines, state } = await board(shape, 8 << 20, modules);
  mp.runPython(`
import gc, sys
import image
gc.collect()
before = gc.mem_alloc()
import main
gc.collect()
imported = gc.mem_alloc() - before
`);
  const imported = mp.globals.get("imported");
  tell({ check: `memory after import of main.py, ${version}`, import_bytes: imported }, imported <= IMPORT_LIMIT);

  // The self-test, with its golden pictures.
  mp.runPython("import selftest\nassert selftest.run()");
  tell({ check: `selftest.py, ${version}`, says: lines.splice(0).filter((l) => !l.startsWith("  ")) }, true);

  mp.runPython(`
camera = main.Camera()
reader = main.card_reader.Reader()
finder = main.card_finder.Finder()
assert finder.gray is not None
assert not reader.classical()
shown = []
main.show_places = lambda places: shown.append(tuple(places))
table = None
def show(frames):
    global table
    table = main.Table(reader, finder)
    for _ in range(frames):
        img = camera.snapshot()
        new = table.look(img)
        board = table.board()
        text, sets = main.describe(board)
        if new:
            print(text)
        main.draw(img, board, sets)
    # Memory of calls that do not go through the stand-ins, and what the table keeps.
    def memory(call):
        gc.collect()
        at = gc.mem_alloc()
        result = call()
        return gc.mem_alloc() - at
    picture = main.card_reader.straighten(img, board[0][0]).bytearray() if board else bytearray(12288)
    calls = [
        memory(lambda: main.card_reader.balance_factors(picture)),
        memory(lambda: main.card_reader.window([(10, 10), (80, 12), (79, 60), (9, 58)], 320, 240)),
        memory(lambda: main.card_reader.best_card([0.5] * 17)),
        memory(table.board),
        memory(table.judge),
        memory(lambda: main.describe(board)),
    ]
    return max(calls)
`);
  const total = { drawn: [0, 0, 0, 0, 0], photo: [0, 0, 0, 0, 0] };
  const notExact = [];
  let [mostCall, mostKept] = [0, 0];
  for (const frame of framesFor(every)) {
    const pixels = pixelsOf(frame.name);
    state.frames = Array.from({ length: SHOWN }, (_, i) => noisy(pixels, i + 1));
    state.shown = 0;
    lines.splice(0);
    // This MicroPython collects garbage between calls from JavaScript only.
    const memory = () => (mp.runPython("gc.collect()\nalive = gc.mem_alloc()"), mp.globals.get("alive"));
    mp.runPython("table = None");
    const before = memory();
    mostCall = Math.max(mostCall, mp.globals.get("show")(SHOWN));
    mostKept = Math.max(mostKept, memory() - before);
    const said = lines.map((line) => JSON.parse(line)).pop() ?? { cards: [], sets: [] };
    const sure = said.cards.filter((c) => !c.unsure).map((c) => c.code);
    const right = sure.filter((code) => frame.codes.includes(code)).length;
    const exact = right === frame.codes.length && sure.length === right;
    const sums = total[frame.kind];
    [1, exact ? 1 : 0, frame.codes.length, right, sure.length - right].forEach((n, i) => (sums[i] += n));
    if (!exact) {
      const wrong = sure.filter((c) => !frame.codes.includes(c));
      const unsure = said.cards.length - sure.length;
      notExact.push({ name: frame.name, card_px: frame.card_px, cards: frame.codes.length, right, unsure, wrong });
    }
    // Sets printed are sets of the cards printed.
    for (const set of said.sets) {
      const cards = set.map((i) => said.cards[i].code);
      for (let p = 0; p < 4; p++) {
        if (new Set(cards.map((c) => c[p])).size === 2) tell({ check: "a set that is none", cards }, false);
      }
    }
  }
  for (const [kind, [n, exact, cards, right, wrong]] of Object.entries(total)) {
    if (n === 0) continue;
    tell(
      { check: `main.py, ${version}, ${kind} tables`, tables: n, exact, cards, right, unsure_or_missed: cards - right, wrong },
      right >= LEAST_RIGHT[kind === "photo" && every > 1 ? "fewPhotos" : kind] * cards &&
        wrong <= Math.ceil(MOST_WRONG * cards),
    );
  }
  for (const line of notExact) console.log(JSON.stringify({ not_exact: line }));
  tell(
    { check: `memory, ${version}`, most_bytes_a_call: mostCall, bytes_kept_of_a_table: mostKept, drawn: state.drawn },
    mostCall <= CALL_LIMIT && mostKept <= KEPT_LIMIT && state.drawn.line > 0 && state.drawn.text > 0,
  );

  // run() itself, from the camera to the line over USB, with an empty table before and after.
  const first = listed.find((f) => f.kind === "drawn");
  const pixels = pixelsOf(first.name);
  const times = (n, what) => Array.from({ length: n }, what);
  state.frames = [...times(CLEARED, () => null), ...times(SHOWN, () => pixels), ...times(SHOWN, () => null)];
  state.shown = 0;
  lines.splice(0);
  mp.runPython(`main.run(${state.frames.length})`);
  const boardsSaid = lines.map((line) => JSON.parse(line));
  const spoken = boardsSaid.find((b) => b.cards.length > 0);
  tell(
    { check: `main.run, ${version}`, lines: boardsSaid.length, cards: spoken?.cards.length, sets: spoken?.sets.length },
    spoken !== undefined && boardsSaid.at(-1).cards.length === 0,
  );
}

fs.closeSync(given);
worker.kill();
fs.rmSync(pipes, { recursive: true });
process.exit(failed ? 1 : 0);
