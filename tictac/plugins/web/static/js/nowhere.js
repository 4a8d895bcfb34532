// What a path that names no view leads to.

import { dress } from "./archived.js";
import { $, entitle, make, show } from "./dom.js";
import { faceNamed } from "./names.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

export class NowhereView {
  #stay = new Stay();
  #title = make("h1", { id: "nowhere-title", tabIndex: -1 }, say("nowhere.title"));

  constructor() {
    const home = make("a", { class: "button main", href: "/" }, say("invite.home"));
    const watch = make("a", { class: "button", href: "/watch" }, say("lobby.watch"));
    const card = make(
      "div",
      { class: "card empty" },
      faceNamed("rook"),
      this.#title,
      make("p", {}, say("nowhere.hint")),
      make("div", { class: "row" }, home, watch),
    );
    $("main").append(make("section", { class: "view stack", id: "nowhere", "aria-labelledby": this.#title.id, hidden: true }, card));
  }

  async open() {
    this.#stay.begin();
    await this.#stay.here(dress());
    show("nowhere");
    entitle(say("nowhere.title"));
    this.#title.focus();
  }

  close() {
    this.#stay.end();
  }
}
