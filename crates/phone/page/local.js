// Reads on this device: a worker that runs the reader as WebAssembly.
"use strict";

const reader = (() => {
  /// Live pictures on their way at once: one is read while the next one is drawn.
  const MOST_PENDING = 2;
  /// With so many black pictures in a row that is told: cameras often begin with some.
  const MOST_BLACK = 30;
  /// From so much memory on the worker is begun anew when it rests: WebAssembly gives none back.
  const MOST_MEMORY = 64 << 20;
  /// The smallest module that has SIMD in it.
  const WITH_SIMD = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ]);

  let worker = null, ready = null, memory = 0, count = 0;
  /// Sets that were taken in the game which the worker follows, and would be lost with it.
  let taken = 0;
  const waiting = new Map();
  /// Is told how much of the module has come, as a share, and how large it is on its way.
  let onLoad = (_told) => {};

  /// Begins the worker, which loads the module.
  function begin() {
    worker = new Worker("worker.js", { type: "module" });
    memory = 0;
    worker.onmessage = ({ data }) => {
      if (data.loaded) return onLoad(data);
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      memory = data.memory ?? memory;
      if (data.error) asked?.failed(new Error(data.error));
      else asked?.done(data);
      // What stops unexpectedly leaves the module in a state that nobody knows.
      if (data.isBroken) end("failed");
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end("not-loaded");
    };
    ready = call({ do: "start" });
    ready.catch(() => {});
  }

  function end(word) {
    worker?.terminate();
    [worker, taken] = [null, 0];
    for (const { failed } of waiting.values()) failed(new Error(word));
    waiting.clear();
  }

  function call(wish, transfer = []) {
    const id = ++count;
    const answer = new Promise((done, failed) => waiting.set(id, { done, failed }));
    worker.postMessage({ id, ...wish }, transfer);
    return answer;
  }

  async function asked(wish, transfer) {
    if (worker && !waiting.size && !taken && memory > MOST_MEMORY) end("failed");
    if (!worker) begin();
    await ready;
    return call(wish, transfer);
  }

  async function start() {
    if (!globalThis.WebAssembly?.validate(WITH_SIMD)) throw new Error("no-simd");
    if (!globalThis.Worker) throw new Error("no-worker");
    begin();
    // On a slow network the reader comes first.
    if (location.protocol.startsWith("http") && navigator.serviceWorker) ready.then(install, install);
  }

  /// Photos that another app has shared with this one.
  async function shared() {
    if (!navigator.serviceWorker?.controller || !globalThis.caches) return [];
    const name = `setsight ${(await navigator.serviceWorker.ready).scope} shared`;
    if (!await caches.has(name)) return [];
    const kept = await caches.open(name);
    const photos = await Promise.all((await kept.keys()).map(async (key) => (await kept.match(key)).blob()));
    await caches.delete(name);
    return photos;
  }

  /// Keeps the page for when there is no network. A later version is told of, and taken when asked for.
  async function install() {
    try {
      const kept = await navigator.serviceWorker.register("sw.js");
      const told = (next) => {
        if (!next || !navigator.serviceWorker.controller) return;
        newVersion(() => {
          // Another tab may have taken it already.
          if (next.state !== "installed") return location.reload();
          navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
          next.postMessage("take over");
        });
      };
      told(kept.waiting);
      kept.addEventListener("updatefound", () => {
        const next = kept.installing;
        next?.addEventListener("statechange", () => next.state === "installed" && told(next));
      });
    } catch {
      // Then it needs a network each time.
    }
  }

  /// A picture as pixels, as the browser decodes it.
  async function pixels(file) {
    if (!isCanvasTrue()) throw new Error("noise");
    const bitmap = await createImageBitmap(file).catch(() => { throw new Error("format"); });
    const { width, height } = bitmap;
    if (width * height > 64_000_000) throw new Error("too-large");
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d", { alpha: false });
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    return { width, height, rgba: context.getImageData(0, 0, width, height).data.buffer };
  }

  async function read(file, tell) {
    if (!worker) begin();
    tell("loading");
    onLoad = ({ loaded, size }) => tell("loading", loaded, words.megabytes(size));
    const [bytes] = await Promise.all([file.arrayBuffer(), ready]);
    tell("reading");
    let answer;
    try {
      answer = await asked({ do: "read", bytes }, [bytes]);
    } catch (error) {
      if (error.message !== "format") throw error;
      // AVIF and GIF, which the browser itself decodes.
      const { rgba, ...size } = await pixels(file);
      answer = await asked({ do: "read-pixels", rgba, ...size }, [rgba]);
    }
    const picture = answer.picture && new Blob([answer.picture], { type: "image/jpeg" });
    return { table: JSON.parse(answer.line), picture };
  }

  /// Follows live pictures; `on` has `open`, `answer` and `trouble`.
  function live(on) {
    let pending = 0, black = 0, isOver = false, spare = [], isDirect = Boolean(globalThis.VideoFrame);
    onLoad = ({ loaded, size }) => { if (!isOver) wait("loading", loaded, words.megabytes(size)); };
    asked({ do: "follow" }).then(() => { if (!isOver) on.open(); }, (error) => on.trouble(error.message));

    function follow(rgba, width, height, time) {
      pending += 1;
      asked({ do: "follow-pixels", rgba, width, height, time }, [rgba]).then(
        ({ line, isBlack, rgba: back }) => {
          spare = [back, ...spare].slice(0, MOST_PENDING);
          black = isBlack ? black + 1 : 0;
          const table = JSON.parse(line);
          taken = table.taken?.length ?? 0;
          if (!isOver) on.answer(black > MOST_BLACK ? { error: "black" } : table, { taken: time });
        },
        (error) => { if (!isOver) on.trouble(error.message); },
      ).finally(() => { pending -= 1; });
    }

    /// A picture's pixels in memory that is used again and again: by way of a canvas each would be garbage.
    async function pixelsOf(frame, { videoWidth: width, videoHeight: height }) {
      const { visibleRect, rotation, flip } = frame;
      const isUpright = !rotation && !flip && visibleRect.width === width && visibleRect.height === height;
      const wish = { format: "RGBA", colorSpace: "srgb" };
      const size = 4 * width * height;
      if (!isUpright || frame.allocationSize(wish) !== size) throw new TypeError("needs a canvas");
      spare = spare.filter((rgba) => rgba.byteLength === size);
      const rgba = spare.pop() ?? new ArrayBuffer(size);
      await frame.copyTo(rgba, wish);
      return rgba;
    }

    return {
      isReady: () => !isOver && worker && pending < MOST_PENDING,
      /// Takes the picture that a video shows, if this browser can, and if it is not too large.
      async take(video, time) {
        const { videoWidth: width, videoHeight: height } = video;
        if (!isDirect || Math.max(width, height) > LIVE_PX) return false;
        let frame = null;
        try {
          frame = new VideoFrame(video);
          const rgba = await pixelsOf(frame, video);
          if (!isOver) follow(rgba, width, height, time);
        } catch {
          isDirect = false;
        }
        frame?.close();
        return isDirect;
      },
      /// Takes what a canvas shows.
      async send(canvas, time) {
        const { width, height } = canvas;
        follow(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer, width, height, time);
      },
      newGame: () => asked({ do: "new-game" }).catch(() => {}),
      rest() {},
      wake() {},
      /// The game goes on when the camera does.
      close() { isOver = true; },
    };
  }

  return {
    privacy: "privacy-local", mostBytes: 100_000_000, start, read, live, shared, picture: null,
    holdsGame: () => taken > 0,
    memory: () => memory,
    fingerprint: () => "",
    secureAddress: () => location.href.replace(/^http:/, "https:"),
  };
})();
