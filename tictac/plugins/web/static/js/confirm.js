// Tap, then confirm: on boards whose cells are smaller than a finger.

import { announce, make } from "./dom.js";
import { say } from "./texts.js";

/** @type {{ spot: HTMLElement, end: () => void } | null} */
let asked = null;

/**
 * Ask below the board of `element` whether the move is meant that tapping on `spot` makes; a second tap there means it, too.
 * `go()` makes it.
 * @param {HTMLElement} element
 * @param {HTMLElement} spot
 * @param {string} move
 * @param {() => void} go
 */
export function ask(element, spot, move, go) {
  const isSame = asked?.spot === spot;
  asked?.end();
  if (isSame) return go();
  const [yes, no] = [say("confirm.play", { move }), say("confirm.no")].map((words) =>
    make("button", { type: "button", class: "less" }, words),
  );
  yes.classList.add("main");
  const bar = make("div", { class: "row confirm" }, yes, no);
  const end = () => {
    bar.remove();
    spot.classList.remove("asked");
    asked = null;
  };
  for (const [button, work] of /** @type {[HTMLElement, () => void][]} */ ([
    [yes, go],
    [no, () => {}],
  ])) {
    button.addEventListener("click", () => {
      end();
      spot.focus();
      work();
    });
  }
  spot.classList.add("asked");
  asked = { spot, end };
  element.append(bar);
  announce(say("confirm.ask", { move }));
}
