// Who plays: a list with a mark, a name and what is to be said of each.

import { make } from "./dom.js";

/** An item of it. `mark` may be null; `kind` are classes: x, o, red, turn, winner and so on. */
export function player(kind, mark, name, what) {
  const words = [
    make("span", { class: "name" }, name || "…"),
    make("span", { class: "what" }, what),
  ];
  const names = make("span", { class: "names" }, ...words);
  return make("li", { class: `player ${kind}` }, ...(mark ? [mark] : []), names);
}
