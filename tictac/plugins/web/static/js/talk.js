// What is said in a room, and by whom; it can be hidden.

import { $, make, write } from "./dom.js";
import { nameOf } from "./names.js";
import { bind, chosen } from "./settings.js";
import { say } from "./texts.js";

/** `send(text)` says something: a promise of whether it is said. */
export class Talk {
  /** @type {Table | null} */
  #table = null;
  #mayTalk = false;

  /** @param {(text: string) => Promise<boolean>} send */
  constructor(send) {
    bind($("mute"), "mute", () => this.#table && this.render(this.#table, this.#mayTalk));
    $("say").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = $("say-text").value.trim();
      if (text && (await send(text))) $("say-text").value = "";
    });
  }

  /**
   * Show it; the visitor may say something or not. After the end, what was said stays.
   * @param {Table} table
   * @param {boolean} mayTalk
   */
  render(table, mayTalk) {
    [this.#table, this.#mayTalk] = [table, mayTalk];
    const isClosed = Boolean(table.result) && table.isLast;
    const [list, isMuted] = [$("talk"), chosen("mute")];
    const known = list.childElementCount;
    list.replaceChildren(
      ...table.talk.map((/** @type {{ user: string, text: string }} */ { user, text }) => {
        const by = make("button", { type: "button", class: "by", value: user }, make("bdi", {}, nameOf(user, table.computers)));
        return make("li", { dir: "auto" }, by, " ", make("bdi", {}, text));
      }),
    );
    list.hidden = isMuted;
    if (known !== table.talk.length) list.scrollTop = list.scrollHeight;
    $("muted").hidden = !isMuted;
    $("say").hidden = isMuted || !mayTalk || isClosed;
    write($("talk-closed"), mayTalk && isClosed ? say("end.closed") : "");
  }
}
