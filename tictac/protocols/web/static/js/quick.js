// A match at once, against whoever wants the same.

import { drawMark } from "./board.js";
import { QUICK, sayTimeControl } from "./clocks.js";
import { $, draw, make, whileBusy } from "./dom.js";
import { markOf } from "./games.js";
import { bind, chosen } from "./settings.js";
import { say } from "./texts.js";

/** `ask(request)` asks for a table. */
export class Quick {
  #ask;

  constructor(ask) {
    this.#ask = ask;
    const without = make("option", { value: "" }, say("quick.noClock"));
    const clocks = Object.entries(QUICK).map(([value, clock]) => make("option", { value }, sayTimeControl(clock)));
    $("quick-clock").append(without, ...clocks);
    bind($("quick-clock"), "clock");
    if (!$("quick-clock").value) $("quick-clock").value = "";
    bind($("quick-rated"), "rated");
  }

  /** Offer these games; `rated` matches only to who has an account. */
  set(games, { isAlone, isGuest }) {
    $("quick").hidden = isAlone;
    $("quick-rated").parentElement.hidden = isGuest;
    $("quick-games").replaceChildren(...games.filter(({ seats }) => Math.max(...seats) > 1).map((game) => {
      const button = make("button", { type: "button", class: "tile" }, drawGame(game), game.title);
      button.dataset.game = game.name;
      button.addEventListener("click", () => whileBusy(button, () => this.#ask(seek(game, isGuest))));
      return make("li", {}, button);
    }));
  }
}

function seek({ name }, isGuest) {
  const request = { do: "seek", game: name, options: {} };
  if (Object.hasOwn(QUICK, chosen("clock"))) request.clock = QUICK[chosen("clock")];
  if (chosen("rated") && !isGuest) request.rated = true;
  return request;
}

/** What a game brings along for that, its marks, or three dots. */
function drawGame({ name, page }) {
  if (page) return make("span", { class: "marks" }, make("img", { src: `${page}icon.svg`, alt: "" }));
  const marks = [markOf(name, 0), markOf(name, 1)].filter(Boolean).map(drawMark);
  const dots = [[50, 26], [24, 72], [76, 72]].map(([cx, cy]) => draw("circle", { cx, cy, r: 18 }));
  const other = () => draw("svg", { viewBox: "0 0 100 100", class: "mark dots", "aria-hidden": "true" }, ...dots);
  return make("span", { class: "marks" }, ...(marks.length ? marks : [other()]));
}
