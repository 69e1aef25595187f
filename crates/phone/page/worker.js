// The reader as WebAssembly, on a thread of its own.
import load, { Follower, Reader } from "./setsight_web.js";

let reader = null, follower = null, memory = null;

/// Whether a picture shows nothing: it is dark everywhere, above a sensor's noise. Some hundred samples suffice.
function isBlack(rgba) {
  const DARK = 24;
  const step = 4 * Math.ceil(rgba.length / 4 / 997);
  for (let i = 0; i < rgba.length; i += step) {
    if (Math.max(rgba[i], rgba[i + 1], rgba[i + 2]) >= DARK) return false;
  }
  return true;
}

/// Bytes of the module, which tools/web/build writes here: a host that compresses names another number.
const MODULE_BYTES = "MODULE_BYTES";

/// The module, while it comes telling how much of it is there.
async function fetched() {
  const answer = await fetch(new URL("setsight_web_bg.wasm", import.meta.url));
  if (!answer.ok || !answer.body) return answer;
  const size = Number(answer.headers.get("Content-Length") ?? MODULE_BYTES);
  let [come, told] = [0, 0];
  const counting = new TransformStream({
    transform(bytes, on) {
      come += bytes.length;
      const loaded = Math.min(1, come / MODULE_BYTES);
      if (loaded - told > 0.01) postMessage({ loaded: (told = loaded), size });
      on.enqueue(bytes);
    },
  });
  return new Response(answer.body.pipeThrough(counting), { headers: { "Content-Type": "application/wasm" } });
}

const work = {
  start: async () => {
    ({ memory } = await load({ module_or_path: await fetched() }));
    reader = new Reader();
    return {};
  },
  read: ({ bytes }) => ({ line: reader.read(new Uint8Array(bytes)), picture: reader.take_picture() }),
  "read-pixels": ({ rgba, width, height }) => ({ line: reader.read_pixels(width, height, new Uint8Array(rgba)) }),
  follow: () => { follower ??= new Follower(); return {}; },
  "follow-pixels": ({ rgba, width, height, time }) => {
    follower ??= new Follower();
    const pixels = new Uint8Array(rgba);
    return { line: follower.follow(width, height, pixels, time), isBlack: isBlack(pixels), rgba };
  },
  "new-game": () => { follower?.new_game(); return {}; },
};

onmessage = async ({ data }) => {
  const { id } = data;
  try {
    const answer = await work[data.do](data);
    postMessage({ id, ...answer, memory: memory?.buffer.byteLength }, answer.rgba ? [answer.rgba] : []);
  } catch (error) {
    // The reader's own words are strings; all else is a fault.
    const isWord = typeof error === "string";
    if (!isWord) console.warn(error);
    postMessage({ id, error: isWord ? error : data.do === "start" ? "not-loaded" : "failed", isBroken: !isWord });
  }
};
