// The page of a tournament keeps itself up to date: what is new takes the place of what was there.

const AGAIN = 2000;

function look() {
  const asked = new XMLHttpRequest();
  asked.responseType = "document";
  asked.open("GET", location.pathname);
  asked.onload = () => show(asked.response?.querySelector("main"));
  asked.onloadend = () => setTimeout(look, AGAIN);
  asked.send();
}

function show(next) {
  const shown = document.querySelector("main");
  const games = shown.querySelector("details");
  if (!next) return;
  next.querySelector("details").open = games.open;
  if (next.innerHTML === shown.innerHTML) return;
  const focused = document.activeElement?.getAttribute("aria-label");
  shown.replaceWith(next);
  if (focused) next.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

setTimeout(look, AGAIN);
