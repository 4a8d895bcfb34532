// What is said in a room, and by whom; it can be hidden.

import { $, make } from "./dom.js";
import { nameOf } from "./names.js";
import { bind, chosen } from "./settings.js";

/** `say(text)` says something: a promise of whether it is said. */
export class Talk {
  /** @type {Table | null} */
  #table = null;
  #maySay = false;

  /** @param {(text: string) => Promise<boolean>} say */
  constructor(say) {
    bind($("mute"), "mute", () => this.#table && this.render(this.#table, this.#maySay));
    $("say").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = $("say-text").value.trim();
      if (text && (await say(text))) $("say-text").value = "";
    });
  }

  /**
   * Show it; the visitor may say something or not.
   * @param {Table} table
   * @param {boolean} maySay
   */
  render(table, maySay) {
    [this.#table, this.#maySay] = [table, maySay];
    const [list, isMuted] = [$("talk"), chosen("mute")];
    const known = list.childElementCount;
    list.replaceChildren(
      ...table.talk.map((/** @type {{ user: string, text: string }} */ { user, text }) => {
        const by = make("button", { type: "button", class: "by", "data-user": user }, make("bdi", {}, nameOf(user, table.computers)));
        return make("li", { dir: "auto" }, by, " ", make("bdi", {}, text));
      }),
    );
    list.hidden = isMuted;
    if (known !== table.talk.length) list.scrollTop = list.scrollHeight;
    $("muted").hidden = !isMuted;
    $("say").hidden = isMuted || !maySay;
  }
}
