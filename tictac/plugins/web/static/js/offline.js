// A service worker (../sw.js) keeps the page for the time without a connection.

const PATH = "/sw.js";

/** Let it begin, where the browser has such a thing. */
export function keepPage() {
  if (!("serviceWorker" in navigator)) return;
  // The only script of the page that is named by a program: nothing else makes a URL of one.
  const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => PATH });
  const url = policy ? policy.createScriptURL(PATH) : PATH;
  navigator.serviceWorker.register(url).catch(() => {}); // the page does without
}
