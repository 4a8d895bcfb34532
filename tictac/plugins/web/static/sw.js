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

/**
 * From the server; what was kept, if that can't be reached.
 * @param {FetchEvent} event
 * @param {string} path
 */
async function ask(event, path) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await caches.match(path);
    if (!kept) throw error;
    return kept;
  }
}

// Notices (docs/reference/notices.md): a later one about the same match takes the place of the earlier one.

addEventListener("push", (event) => {
  const { title, body, path, tag, turns = 0, language } = /** @type {PushMessageData} */ (event.data).json();
  const look = { body, tag, lang: language, icon: "/icon-192.png", badge: "/icon-192.png", renotify: true, ["data"]: path };
  event.waitUntil(Promise.all([registration.showNotification(title, look), showCount(turns)]));
});
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPath(event.notification.data));
});

/**
 * Let the icon of the app say how many matches wait, where it can.
 * @param {number} turns
 */
async function showCount(turns) {
  await (turns ? navigator.setAppBadge?.(turns) : navigator.clearAppBadge?.());
}

/**
 * Show a path of the page: in a window of the page, which may be in a match, or else in a new one.
 * @param {string} path
 */
async function openPath(path) {
  const [tab] = await clients.matchAll({ type: "window" });
  if (!tab) return clients.openWindow(path);
  await tab.focus();
  tab.postMessage(path);
}
