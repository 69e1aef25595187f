// Keeps the page for when there is no network. tools/web/build writes the files and their hash here, so
// that another version is another file, which the browser then installs beside the old one.
"use strict";

const VERSION = "HASH";
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(`setsight-${VERSION}`).then((kept) => kept.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("setsight-") && name !== `setsight-${VERSION}`) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const kept = await caches.open(`setsight-${VERSION}`);
    return await kept.match(event.request, { ignoreSearch: true }) ?? fetch(event.request);
  })());
});
