// Keeps the page itself for the time without a connection, so that it can say that there is none.
//
// A new version of this worker, such as in another language, begins when the last tab with the old
// one has closed. It would be wrong to call skipWaiting(): Chromium sometimes never answers a
// navigation that meets the change. The old version does no harm, because it asks the server first.

const CACHE = "{{version}}";
const FILES = "/ {{files}}".split(" ");

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(begin()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const isPage = request.mode === "navigate";
  const { pathname } = new URL(request.url);
  if (isPage && !pathname.startsWith("/api/")) event.respondWith(ask(event, "/"));
  else if (FILES.includes(pathname)) event.respondWith(ask(event, pathname));
});

async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
}

async function begin() {
  await registration.navigationPreload?.enable();
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** From the server; what was kept, if that can't be reached. */
async function ask(event, path) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await caches.match(path);
    if (!kept) throw error;
    return kept;
  }
}
