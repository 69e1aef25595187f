// The reader as WebAssembly, on a thread of its own.
import load, { Follower, Reader } from "./setsight_web.js";

let reader = null, follower = null, memory = null;

const work = {
  start: async () => {
    ({ memory } = await load({ module_or_path: new URL("setsight_web_bg.wasm", import.meta.url) }));
    reader = new Reader();
    return {};
  },
  read: ({ bytes }) => ({ line: reader.read(new Uint8Array(bytes)), picture: reader.take_picture() }),
  "read-pixels": ({ rgba, width, height }) => ({ line: reader.read_pixels(width, height, new Uint8Array(rgba)) }),
  follow: () => { follower ??= new Follower(); return {}; },
  "follow-pixels": ({ rgba, width, height, time }) => {
    follower ??= new Follower();
    return { line: follower.follow(width, height, new Uint8Array(rgba), time), rgba };
  },
  "new-game": () => { follower?.new_game(); return {}; },
  unfollow: () => { follower?.free(); follower = null; return {}; },
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
