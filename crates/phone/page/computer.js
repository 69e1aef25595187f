// Reads on the computer that serves the page: photos by requests, live pictures by a WebSocket where one
// opens.
"use strict";

const reader = (() => {
  let key = location.hash.slice(1);
  let fingerprint = "";
  /// A connection that does not answer for so long is given up, and tried again after a pause.
  const PATIENCE_MS = 4000;
  const PAUSE_MS = 700;
  /// Live pictures on their way at once: one is read while the next one travels.
  const MOST_PENDING = 2;
  const LIVE_QUALITY = 0.7;

  /// Sends a request with the key. Throws a word for what is wrong. `onPart` is told how much of the
  /// body was sent.
  function ask(path, body = null, type = /** @type {XMLHttpRequestResponseType} */ ("json"), onPart = (_part) => {}) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      request.open(body ? "POST" : "GET", path);
      request.setRequestHeader("X-Setsight-Key", key);
      request.setRequestHeader("X-Setsight-Phone", tab);
      request.responseType = type;
      request.upload.onprogress = ({ loaded, total }) => onPart(loaded / total);
      request.upload.onload = () => onPart(1);
      request.onerror = () => failed(new Error("unreachable"));
      request.onload = async () => {
        if (request.status === 200) return done(request.response);
        if (request.status === 404) {
          askForCode();
          return failed(new Error("stale"));
        }
        const told = type === "json" ? request.response : null;
        failed(new Error(told?.error ?? "failed"));
      };
      request.send(body);
    });
  }

  async function start() {
    if (!/^[0-9a-f]{32}$/.test(key)) await exchange();
    ({ fingerprint } = await ask("/hello"));
    // Another code was scanned while the page was open.
    window.addEventListener("hashchange", () => location.reload());
  }

  /// Nobody has to tell an o from a 0, or an l from a 1.
  const typed = (text) => text.toLowerCase().replace(/[^0-9a-z]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");

  /// Shows the field for the code: there is no key, or a wrong one.
  function askForCode() {
    $("typed").hidden = false;
    $("open").onclick = () => { location.hash = typed($("code").value); location.reload(); };
    $("code").onkeydown = ({ key }) => key === "Enter" && $("open").click();
  }

  /// Gets the key for a code that was typed, behind the address or on the page.
  async function exchange() {
    askForCode();
    key = typed(decodeURIComponent(key));
    if (key.length !== 8) throw new Error("no-key");
    ({ key } = await ask("/key"));
    $("typed").hidden = true;
    history.replaceState(null, "", `#${key}`);
  }

  async function read(file, tell) {
    tell("sending", 0);
    return { table: await ask("/photo", file, "json", (part) => tell(part < 1 ? "sending" : "reading", part)) };
  }

  /// Follows live pictures; `on` has `open`, `answer` and `trouble`.
  function live(on) {
    let socket = null, isOpen = false, isOver = false, begun = 0, failures = 0, retry = 0;
    /// Where no WebSocket opens, as with old iOS and a certificate of the computer's own or behind some
    /// proxies, each picture is a request.
    let isByRequest = false;
    let pending = [];

    /// Gives up the connection. What it still says counts no more.
    function leave() {
      const old = socket;
      [socket, isOpen, pending] = [null, false, []];
      if (!old) return;
      old.onopen = old.onmessage = old.onclose = null;
      old.close();
    }

    function connect() {
      if (isOver) return;
      if (isByRequest) {
        isOpen = true;
        return on.open();
      }
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      socket = new WebSocket(`${scheme}://${location.host}/live`, ["setsight", key, tab]);
      begun = performance.now();
      socket.onopen = () => {
        [isOpen, failures] = [true, 0];
        on.open();
      };
      socket.onmessage = (message) => on.answer(JSON.parse(message.data), pending.shift());
      socket.onclose = lost;
    }

    /// The connection has ended: it is tried again. Whether the key still holds and there is a place
    /// for this phone tells a request.
    async function lost() {
      leave();
      if (isOver) return;
      failures += 1;
      retry = setTimeout(connect, PAUSE_MS);
      try {
        const { place } = await ask("/hello");
        if (isOver || failures < 2) return;
        if (place) isByRequest = true;
        else on.trouble("full");
      } catch (error) {
        refused(error);
      }
    }

    function refused(error) {
      if (!isOver) on.trouble(error.message === "unreachable" ? "lost" : error.message);
    }

    async function request(blob, taken) {
      pending.push({ taken, sent: performance.now() });
      try {
        const table = await ask("/live", blob);
        if (!isOver && isOpen) on.answer(table, pending.shift());
      } catch (error) {
        pending = [];
        refused(error);
      }
    }

    /// Looks every half second for a connection that hangs, as a lost network leaves it.
    const watch = setInterval(() => {
      if (document.hidden || !socket) return;
      const oldest = isOpen ? pending[0]?.sent : begun;
      if (oldest !== undefined && performance.now() - oldest > PATIENCE_MS) {
        on.trouble("lost");
        lost();
      }
    }, 500);

    connect();
    return {
      isReady: () => isOpen && pending.length < (isByRequest ? 1 : MOST_PENDING),
      /// Sends what the canvas shows, which may be drawn on again when this is done.
      async send(canvas, taken) {
        const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", LIVE_QUALITY));
        if (isByRequest && isOpen && blob) return void request(blob, taken);
        if (socket?.readyState !== WebSocket.OPEN || !blob) return;
        socket.send(blob);
        pending.push({ taken, sent: performance.now() });
      },
      newGame() {
        if (isByRequest) ask("/live", "new-game").catch(refused);
        else if (isOpen) socket.send("new-game");
      },
      rest() { leave(); clearTimeout(retry); },
      wake: () => isOpen || socket || connect(),
      close() {
        isOver = true;
        clearInterval(watch);
        clearTimeout(retry);
        leave();
      },
    };
  }

  return {
    privacy: "privacy-computer", mostBytes: 25_000_000, start, read, live,
    /// A photo as a JPEG, which every browser shows.
    picture: (file) => ask("/picture", file, "blob"),
    fingerprint: () => fingerprint,
    secureAddress: () => `https://${location.host}/#${key}`,
  };
})();
