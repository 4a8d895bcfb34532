// A question whose first answer loses nothing: whether to give up.

import { $ } from "./dom.js";

/** Ask it; a promise of whether the visitor gives up. */
export function ask(title, text) {
  const dialog = $("ask");
  $("ask-title").textContent = title;
  $("ask-text").textContent = text;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    const answered = () => resolve(dialog.returnValue === "yes");
    dialog.addEventListener("close", answered, { once: true });
  });
}

/** It has become pointless. */
export function withdraw() {
  if ($("ask").open) $("ask").close("no");
}
