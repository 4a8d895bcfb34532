// A match at once, against whoever wants the same.

import { QUICK, sayTimeControl } from "./clocks.js";
import { $, make, whileBusy } from "./dom.js";
import { drawGame } from "./mini.js";
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
