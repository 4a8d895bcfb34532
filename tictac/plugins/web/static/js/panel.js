// The panel of a room: the moves, the rules, who watches, and on a phone the chat, as tabs.

import { $, make, makeAvatar, walkTabs, write } from "./dom.js";
import { fillPositions, hasHistory, sayMove } from "./games.js";
import { nameOf } from "./names.js";
import { say } from "./texts.js";

/**
 * A move of the list, and a row of it, whose `last` move is in the last cell.
 * @typedef {{ seat: number, move: string, before?: string | null, undone?: boolean }} Move
 * @typedef {{ last: Move, cells: HTMLElement[] }} Row
 */

const NARROW = matchMedia("(max-width: 48rem), (max-height: 30rem)");

const scrollToEnd = () => {
  $("pane-moves").scrollTop = $("pane-moves").scrollHeight;
};

/** `opened(tab)` is called when the visitor looks at one of them. */
export class Panel {
  /** Whether the rules are looked at first. */
  isFirst = false;
  #opened;
  /** @type {Map<string, HTMLElement[]>} the tab and the pane of each */
  #own = new Map();
  #moves = 0;

  /** @param {(tab: string) => void} opened */
  constructor(opened) {
    this.#opened = opened;
    $("tabs").addEventListener("click", ({ target }) => {
      const tab = target.closest("[role=tab]");
      if (tab) this.choose(tab.id.slice(4));
    });
    walkTabs($("tabs"));
    NARROW.addEventListener("change", () => this.begin());
    this.choose("moves");
  }

  /** Show what is looked at first. */
  begin() {
    const [first] = this.#own.keys();
    const usual = this.isFirst ? "rules" : "moves";
    this.choose(first ?? (NARROW.matches && !$("tab-chat").hidden ? "chat" : usual));
  }

  /**
   * Look at one of the tabs.
   * @param {string} name
   */
  choose(name) {
    $("side").dataset.tab = name;
    for (const tab of this.#tabs) {
      const is = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      if (tab.id !== "tab-chat") $(/** @type {string} */ (tab.getAttribute("aria-controls"))).hidden = !is;
    }
    this.#opened(name);
  }

  /**
   * Let a game have tabs of its own, in front of the others: for each a `name`, a `title` and an `element`.
   * @param {NonNullable<GameFace["panels"]>} panes
   */
  set own(panes) {
    for (const [name, parts] of this.#own) {
      for (const part of parts) part.remove();
      if ($("side").dataset.tab === name) $("side").dataset.tab = "";
    }
    this.#own.clear();
    for (const { name, title, element } of panes) {
      const tab = make("button", { type: "button", class: "tab", role: "tab", id: `tab-${name}` }, title);
      tab.setAttribute("aria-controls", `pane-${name}`);
      const pane = make("div", { class: "pane", role: "tabpanel", id: `pane-${name}`, tabIndex: 0 }, element);
      pane.setAttribute("aria-labelledby", tab.id);
      $("tab-chat").before(tab);
      $("pane-moves").before(pane);
      this.#own.set(name, [tab, pane]);
    }
    $("side").classList.toggle("many", panes.length > 0);
    this.begin();
  }

  /**
   * Show how it stands; whether one `mayTalk`, and whether the match is gone through (review.js).
   * @param {Table} table
   * @param {boolean} mayTalk
   * @param {boolean} isReviewed
   */
  render(table, mayTalk, isReviewed) {
    const hasTold = hasHistory(table.game) && !isReviewed;
    $("tab-moves").hidden = hasTold;
    $("tab-chat").hidden = $("pane-chat").hidden = !mayTalk && !table.talk.length;
    $("tab-viewers").textContent = say("table.viewers", { count: table.viewers.length });
    write($("no-viewers"), table.viewers.length ? "" : say("table.noViewers"));
    $("viewers").replaceChildren(...table.viewers.map((user) => make("li", {}, makeAvatar(user, "small"), nameOf(user, table.computers))));
    const tab = $(`tab-${$("side").dataset.tab}`);
    if (!tab || tab.hidden) this.begin();
    if (!hasTold) this.#list(table);
  }

  get #tabs() {
    return [.../** @type {HTMLCollectionOf<HTMLElement>} */ ($("tabs").children)];
  }

  /**
   * The moves of two players stand beside each other; those that were taken back are struck through.
   * @param {Table} table
   */
  #list(table) {
    const { record, game, players } = table;
    const isOfTwo = players.length === 2;
    /** @type {Move[]} */
    const made = [];
    for (const [, what, seat, move, before] of record) {
      if (what === "moved") made.push({ seat, move, before });
      else if (what === "undone") for (const each of made.filter(({ undone }) => !undone).slice(-move)) each.undone = true;
    }
    fillPositions(game, made);
    /** @type {Row[]} */
    const rows = [];
    for (const [at, each] of made.entries()) {
      const kinds = [at === made.length - 1 && "now", each.undone && "undone"].filter(Boolean);
      const cell = make("span", { class: kinds.join(" ") }, sayMove(game, each.move, each.before));
      const { last } = rows.at(-1) ?? {};
      if (isOfTwo && each.seat === 1 && last?.seat === 0 && !last.undone) {
        /** @type {Row} */ (rows.at(-1)).cells.push(cell);
        /** @type {Row} */ (rows.at(-1)).last = each;
        continue;
      }
      const before = isOfTwo ? (each.seat === 1 ? [make("span")] : []) : [make("span", { class: "by" }, table.nameOf(each.seat))];
      rows.push({ last: each, cells: [...before, cell] });
    }
    write($("no-moves"), made.length ? "" : say("table.noMoves"));
    $("made").classList.toggle("many", !isOfTwo);
    $("made").replaceChildren(...rows.map(({ cells }, at) => make("li", { "data-number": at + 1 }, ...cells)));
    if (made.length !== this.#moves) requestAnimationFrame(scrollToEnd); // at once, it would lay out the page for each move
    this.#moves = made.length;
  }
}
