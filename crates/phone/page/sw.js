// Keeps the page for when there is no network. tools/web/build writes the files and their hash here, so
// that another version is another file, which the browser then installs beside the old one.
"use strict";

const VERSION = "HASH";
const FILES = ["FILES"];

/// Two copies on one host each have their own: the names begin with where they are.
const OWN = `setsight ${self.registration.scope} `;
const NAME = OWN + VERSION;
const KEPT = FILES.map((file) => new URL(file, location.href).href);

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(NAME).then((kept) => kept.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(OWN) && name !== NAME) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const name = (origin + pathname).replace(/index\.html$/, "");
  if (!KEPT.includes(name)) return;
  if (request.method === "POST") event.respondWith(shared(request));
  if (request.method !== "GET") return;
  event.respondWith((async () => {
    const kept = await caches.open(NAME);
    const found = await kept.match(name, { ignoreVary: true });
    if (found) return found;
    // What the browser has thrown away is kept again.
    const answer = await fetch(name);
    if (answer.ok) await kept.put(name, answer.clone());
    return answer;
  })());
});

/// Photos that another app shares wait until the page takes them.
async function shared(request) {
  const files = (await request.formData()).getAll("photos");
  const kept = await caches.open(`${OWN}shared`);
  await Promise.all(files.map((file, i) => kept.put(`./shared-${i}`, new Response(file))));
  return Response.redirect("./", 303);
}
