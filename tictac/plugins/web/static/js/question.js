// A question whose first answer loses nothing, such as whether to give up.

import { $ } from "./dom.js";

/**
 * Ask it, with a word for each answer; a promise of whether the visitor says yes.
 * @param {{ title: string, text: string, yes: string, no: string }} words
 * @returns {Promise<boolean>}
 */
export function ask({ title, text, yes, no }) {
  const dialog = $("ask");
  for (const [id, words] of Object.entries({ title, text, yes, no })) $(`ask-${id}`).textContent = words;
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
