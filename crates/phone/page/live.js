// Live: the device's camera, whose pictures the reader follows.
"use strict";

/// Longest side of a live picture, in pixels.
const LIVE_PX = 1280;
/// Without an answer for so long the picture counts as paused.
const STILL_MS = 2500;

/// What runs: the camera, what follows it, and when the last answer came.
let live = null;

async function goLive() {
  trouble(null);
  if (!window.isSecureContext || !navigator.mediaDevices) {
    $("secure-link").href = reader.secureAddress();
    setText($("secure-address"), location.host);
    setText($("fingerprint"), reader.fingerprint());
    $("fingerprint").parentElement.hidden = !reader.fingerprint();
    view("secure", words["secure-title"]);
    return;
  }
  stopLive();
  startTable(true);
  wait("connecting");
  const own = { canvas: document.createElement("canvas"), isDrawing: false, answered: performance.now() };
  live = own;
  if (!await openCamera(own)) return;
  own.link = reader.live({
    open() {
      if (live !== own) return;
      trouble(null);
      pump(own);
    },
    answer: (table, sent) => answered(own, table, sent),
    trouble: (word) => { if (live === own) trouble(word); },
  });
  own.watch = setInterval(() => watch(own), 500);
  keepAwake();
}

async function openCamera(own) {
  try {
    const chosen = remembered("localStorage", "camera");
    const which = chosen ? { deviceId: { ideal: chosen } } : { facingMode: { ideal: "environment" } };
    const wish = { ...which, width: { ideal: 1280 }, height: { ideal: 720 } };
    const stream = await navigator.mediaDevices.getUserMedia({ video: wish, audio: false });
    if (live !== own) {
      stream.getTracks().forEach((track) => track.stop());
      return false;
    }
    own.stream = stream;
    $("video").srcObject = stream;
    await $("video").play();
    setRatio($("video").videoWidth, $("video").videoHeight);
    $("other-camera").hidden = (await cameras()).length < 2;
    return live === own;
  } catch (error) {
    if (live === own) {
      stopLive();
      view("start");
      trouble({ NotAllowedError: "camera-refused", NotFoundError: "no-camera", NotReadableError: "camera-busy" }[error.name] ?? "no-camera");
    }
    return false;
  }
}

const cameras = async () => (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");

/// Goes on with the next of the device's cameras, and keeps to it.
async function changeCamera() {
  const own = live;
  const all = await cameras();
  if (live !== own || !own?.stream) return;
  const { deviceId } = own.stream.getVideoTracks()[0].getSettings();
  const next = all[(all.findIndex((one) => one.deviceId === deviceId) + 1) % all.length];
  remember("localStorage", "camera", next.deviceId);
  own.stream.getTracks().forEach((track) => track.stop());
  if (await openCamera(own)) pump(own);
}

/// Whether what a canvas gives out is what was drawn: against tracking some browsers give noise.
function isCanvasTrue() {
  const context = html("canvas", { width: 8, height: 8 }).getContext("2d");
  context.fillStyle = "#4080c0";
  context.fillRect(0, 0, 8, 8);
  const { data } = context.getImageData(0, 0, 8, 8);
  return data.every((value, i) => Math.abs(value - [64, 128, 192, 255][i % 4]) < 8);
}

function stopLive() {
  if (!live) return;
  const own = live;
  live = null;
  clearInterval(own.watch);
  own.link?.close();
  own.stream?.getTracks().forEach((track) => track.stop());
  own.lock?.release().catch(() => {});
  $("video").srcObject = null;
}

/// Leaves live for what is to be done instead, after a question while a game is being counted.
function leaveLive(act) {
  if (isCounting()) sure("stop-sure", "stop", () => { stopLive(); act(); });
  else act();
}

const isCounting = () => Boolean(live && shown.table?.taken?.length);

/// Looks every half second whether the camera still shows something.
function watch(own) {
  if (live !== own || document.hidden) return;
  const [track] = own.stream?.getVideoTracks() ?? [];
  const isPaused = !track || track.muted || track.readyState === "ended" || $("video").paused;
  const isStill = performance.now() - own.answered > STILL_MS;
  if (isPaused) {
    wait("camera-paused");
    $("overlay").replaceChildren();
    $("video").play().catch(() => {});
  } else if (isStill && $("trouble").hidden) {
    wait("still-reading");
  }
  pump(own);
}

/// Hands on the camera's next picture as soon as it may come.
function pump(own) {
  const video = $("video");
  if (live !== own || !own.link?.isReady() || own.isDrawing || document.hidden || !video.videoWidth) return;
  own.isDrawing = true;
  const draw = async () => {
    const taken = performance.now();
    if (!await own.link.take?.(video, taken)) {
      own.isTrue ??= isCanvasTrue();
      if (!own.isTrue) {
        goHome();
        return trouble("noise");
      }
      const scale = Math.min(1, LIVE_PX / Math.max(video.videoWidth, video.videoHeight));
      const [width, height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
      if (own.canvas.width !== width || own.canvas.height !== height) Object.assign(own.canvas, { width, height });
      own.canvas.getContext("2d", { alpha: false, willReadFrequently: true }).drawImage(video, 0, 0, width, height);
      await own.link.send(own.canvas, taken);
    }
    own.isDrawing = false;
    pump(own);
  };
  // The same picture is not sent twice.
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(draw);
  else requestAnimationFrame(draw);
}

function answered(own, table, sent) {
  if (live !== own) return;
  own.answered = performance.now();
  wait(document.hidden ? "camera-paused" : null);
  if (table.error) {
    // A slow answer is followed by others.
    trouble(table.error === "slow" ? null : table.error);
  } else {
    trouble(null);
    setRatio(table.width, table.height);
    show(table);
  }
  pump(own);
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

/// A phone that slept, or a tab that was in the background: its camera may be gone, and its connection is.
async function awake() {
  const own = live;
  if (!own) return;
  if (document.hidden) {
    wait("camera-paused");
    return own.link?.rest();
  }
  own.answered = performance.now();
  const isOver = !own.stream || own.stream.getVideoTracks().some((track) => track.readyState === "ended");
  if (isOver && !await openCamera(own)) return;
  own.link?.wake();
  keepAwake();
  pump(own);
}

function listenToLive() {
  $("go-live").addEventListener("click", goLive);
  $("secure-back").addEventListener("click", () => view("start"));
  $("stop").addEventListener("click", () => leaveLive(goHome));
  $("other-camera").addEventListener("click", changeCamera);
  $("new-game").addEventListener("click", () => sure("new-game-sure", "new-game", () => live?.link?.newGame()));
  document.addEventListener("visibilitychange", awake);
  window.addEventListener("pagehide", stopLive);
}
