// What is said in a room, and by whom; it can be hidden.

import { $, afterPress, make, write } from "./dom.js";
import { nameOf } from "./names.js";
import { bind, chosen } from "./settings.js";
import { say } from "./texts.js";

/** Milliseconds for which a text is shown over the head. */
const SHOWN = 4000;

/** `send(text)` says something: a promise of whether it is said. */
export class Talk {
  /** @type {Table | null} */
  #table = null;
  #mayTalk = false;
  #timer = 0;

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
   * Show for a moment what somebody has said, where the chat isn't in sight: a screen reader says it anyway.
   * @param {{ user: string, text: string }} said
   * @param {Table} table
   */
  flash({ user, text }, { computers }) {
    const { bottom } = $("talk").getBoundingClientRect();
    if ($("talk").checkVisibility() && bottom > 0 && bottom <= innerHeight) return;
    $("heard").replaceChildren(make("span", {}, make("b", {}, nameOf(user, computers)), " ", make("bdi", {}, text)));
    $("heard").hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => ($("heard").hidden = true), SHOWN);
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
    afterPress(list, () => showTalk(list, table)); // a new text moves the others
    list.hidden = isMuted;
    $("muted").hidden = !isMuted;
    $("say").hidden = isMuted || !mayTalk || isClosed;
    write($("talk-closed"), mayTalk && isClosed ? say("end.closed") : "");
  }
}

/**
 * List what was said. A name that stays isn't touched: it may have the focus.
 * @param {HTMLElement} list
 * @param {Table} table
 */
function showTalk(list, { talk, computers }) {
  const known = list.childElementCount;
  const rows = talk.map(({ user, text }) => {
    const by = make("button", { type: "button", class: "by", value: user }, make("bdi", {}, nameOf(user, computers)));
    return make("li", { dir: "auto" }, by, " ", make("bdi", {}, text));
  });
  let same = 0;
  while (rows[same]?.isEqualNode(list.children[same])) same++;
  for (const row of [...list.children].slice(same)) row.remove();
  list.append(...rows.slice(same));
  if (known !== talk.length) list.scrollTop = list.scrollHeight;
}
