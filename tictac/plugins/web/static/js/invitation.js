// An invitation: what a link to a room leads to before a login.

import { read } from "./archive.js";
import { sayTimeControl } from "./clocks.js";
import { $, announce, entitle, make, makeAvatar, show, whileBusy, write } from "./dom.js";
import { markOf } from "./games.js";
import { drawGame } from "./mini.js";
import { nameOf } from "./names.js";
import { capital, say } from "./texts.js";

/** @typedef {Wire.Summary & { goal: string, private: boolean, guests: boolean }} Invited a room, before one joins it */

class Invitation {
  /** @type {object | null} */
  #wanted = null;
  #maySit = false;

  /**
   * `enter()` lets the visitor in as a guest, and then to the room; `logIn()` lets them log in first.
   * @param {Session} session
   * @param {() => void} logIn
   * @param {number} at
   * @param {(room: string) => void} watch
   * @param {() => unknown} enter
   */
  constructor(session, logIn, at, watch, enter) {
    $("invited-play").addEventListener("click", () => whileBusy($("invited-play"), () => (this.#maySit ? enter() : logIn())));
    $("invited-watch").addEventListener("click", () => whileBusy($("invited-watch"), enter));
    $("invited-account").addEventListener("click", () => logIn());
  }

  /**
   * @param {string} room
   * @param {string} key
   */
  async open(room, key) {
    const mine = (this.#wanted = {});
    const about = await read(["rooms", room, key]).catch(({ code }) => (code === "unreachable" ? undefined : null));
    if (mine !== this.#wanted) return;
    this.#render(about);
    show("invitation-view");
    $("invited-title").focus();
    announce($("invited-title").textContent);
  }

  close() {
    this.#wanted = null;
  }

  /**
   * Show it; null, if there is no such room any more, and undefined without a connection.
   * @param {Invited | null | undefined} about
   */
  #render(about) {
    const { owner, game, title, goal, clock, rated, players = [], begun, guests } = about ?? {};
    this.#maySit = Boolean(guests);
    const seat = players.indexOf(null);
    const isOpen = about && !begun && seat >= 0;
    const words =
      about === undefined
        ? say("connection.unreachable")
        : !about
          ? say("invite.closed")
          : owner
            ? say("invite.title", { user: nameOf(owner), title })
            : say("invite.anybody", { title });
    $("invited-title").textContent = words;
    entitle(words);
    $("invited-avatar").replaceWith(Object.assign(makeAvatar(owner ?? " "), { id: "invited-avatar", hidden: !owner }));
    $("invited-picture").replaceChildren(...(about ? [drawGame({ name: /** @type {string} */ (game), title })] : []));
    const hint = !about ? "closedHint" : !isOpen ? "full" : guests ? "guest" : "logIn";
    write($("invited-goal"), goal ?? "");
    write($("invited-hint"), about === undefined ? "" : say(`invite.${hint}`));
    const mark = isOpen && players.length === 2 ? markOf(/** @type {string} */ (game), seat) : null;
    const facts = [
      clock ? sayTimeControl(clock) : say("table.noClock"),
      mark && say("invite.side", { mark: mark.name }),
      rated ? say("rooms.rated") : say("invite.fun"),
    ];
    $("invited-facts").replaceChildren(
      ...(about ? facts : []).filter(Boolean).map((fact) => make("li", {}, capital(/** @type {string} */ (fact)))),
    );
    $("invited-play").hidden = !isOpen;
    $("invited-play").textContent = owner ? say("invite.play", { user: owner }) : say("invite.join");
    for (const [kind, is] of [
      ["main", !about],
      ["quiet", about],
    ])
      $("invited-home").classList.toggle(/** @type {string} */ (kind), Boolean(is));
    $("invited-watch").hidden = !about || !begun;
  }
}

export const VIEWS = { invitation: Invitation };
