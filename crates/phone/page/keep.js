// What outlives a reload: the photos of this tab, with what was read on them.
"use strict";

/// Most photos that are kept at once.
const MOST_PHOTOS = 12;

/// A word that is remembered for this tab, or for good. Where cookies are forbidden nothing is.
/** @type {(of: string, name: string) => any} */
const remembered = (of, name) => { try { return window[of].getItem(name); } catch { return null; } };
/** @type {(of: string, name: string, value: string) => void} */
const remember = (of, name, value) => { try { window[of].setItem(name, value); } catch { /* Then it is not. */ } };

function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/// A name for this tab: random, and the same as long as it is open.
const tab = remembered("sessionStorage", "phone") ?? randomName();
remember("sessionStorage", "phone", tab);

/// Held as long as this tab is open, so that others know whose photos are left behind.
navigator.locks?.request(`setsight ${tab}`, () => new Promise(() => {}));

const keep = (() => {
  let opened = null;

  function open() {
    opened ??= new Promise((done, failed) => {
      const request = indexedDB.open("setsight", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("photos", { keyPath: "id" });
      request.onsuccess = () => done(request.result);
      request.onerror = request.onblocked = () => failed(request.error);
    });
    return opened;
  }

  async function within(mode, work) {
    const store = (await open()).transaction("photos", mode).objectStore("photos");
    return new Promise((done, failed) => {
      const request = work(store);
      store.transaction.oncomplete = () => done(request?.result);
      store.transaction.onerror = store.transaction.onabort = () => failed(store.transaction.error);
    });
  }

  return {
    /// Keeps a photo. Throws where the browser keeps nothing.
    put: ({ id, file, name, table, fixes, picture, isOfDeck }) => (
      within("readwrite", (store) => store.put({ id, tab, time: Date.now(), file, name, table, fixes, picture, isOfDeck }))),
    drop: (id) => within("readwrite", (store) => store.delete(id)),
    /// The photos of this tab. Those of tabs that are closed go; where a browser does not tell of them, after a day.
    async all() {
      const all = await within("readonly", (store) => store.getAll());
      const open = (await navigator.locks?.query())?.held.map(({ name }) => name);
      const isOld = ({ tab: of, time }) => Date.now() - time > 86_400_000
        || Boolean(open && of !== tab && !open.includes(`setsight ${of}`));
      for (const { id } of all.filter(isOld)) await this.drop(id);
      return all.filter((photo) => photo.tab === tab && !isOld(photo)).sort((a, b) => a.time - b.time);
    },
  };
})();
