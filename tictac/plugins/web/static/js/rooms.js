// The rooms in the lobby, open ones and matches: what the server tells of, as the visitor wants to see it.

import { drawBoards, MOST } from "./boards.js";
import { sayTimeControl } from "./clocks.js";
import { $, make, whileBusy, write } from "./dom.js";
import { sayOptions } from "./fields.js";
import { drawPlayed } from "./mini.js";
import { nameOf } from "./names.js";
import { sayRated } from "./ratings.js";
import { bind, chosen } from "./settings.js";
import { say } from "./texts.js";

/** Milliseconds between two looks at how old rooms are, and at boards. */
const TICK = 15_000;
const PAUSE = 5000;

/**
 * A room as it is shown: `opened` in milliseconds since 1970, or 0.
 * @typedef {Omit<Wire.Summary, "opened" | "ratings"> & { opened: number, ratings: Wire.Ratings }} Room
 */

/** @type {(one: Room, other: Room) => number} */
const newest = (one, other) => other.opened - one.opened;

/**
 * By what they can be sorted.
 * @type {Record<string, (one: Room, other: Room) => number>}
 */
const ORDERS = {
  newest,
  oldest: (one, other) => newest(other, one),
  rating: (one, other) => best(other) - best(one) || newest(one, other),
  viewers: (one, other) => other.viewers - one.viewers || newest(one, other),
};

/** The lists: those to join, and matches. Of each the first are shown, or all. */
const LISTS = ["rooms", "played"];

/** `ask(request)` asks for a room. */
export class Rooms {
  #session;
  #ask;
  /** @type {Map<string, Room>} */
  #rooms = new Map();
  /** @type {Map<string, HTMLElement>} */
  #items = new Map();
  /** @type {Set<string>} */
  #changed = new Set(); // since they were shown last
  /** @type {Wire.Game[]} */
  #games = [];

  /**
   * @param {Session} session
   * @param {(request: Asked<"join"> | Asked<"watch">) => unknown} ask
   */
  constructor(session, ask) {
    this.#session = session;
    this.#ask = ask;
    for (const name of ["game", "sort"]) bind($(`rooms-${name}`), name, () => this.render());
    for (const list of LISTS) {
      session.addEventListener("lost", () => $(list).classList.add("stale"));
      for (const event of ["pointerleave", "focusout"]) {
        $(list).addEventListener(event, () => setTimeout(() => this.render()));
      }
      showAll($(`${list}-all`), $(list));
    }
    setInterval(() => this.#sayAges(), TICK);
    setInterval(() => this.look(), PAUSE);
  }

  /**
   * These are all that there are.
   * @param {Wire.Game[]} games
   * @param {Wire.Summary[]} rooms
   */
  set(games, rooms) {
    this.#games = games;
    const all = make("option", { value: "" }, say("rooms.allGames"));
    const some = games.map(({ name, title }) => make("option", { value: name }, title));
    $("rooms-game").replaceChildren(all, ...some);
    $("rooms-game").value = games.some(({ name }) => name === chosen("game")) ? chosen("game") : "";
    this.#rooms = new Map(rooms.map((room) => [room.room, read(room)]));
    this.#changed = new Set(this.#rooms.keys());
    for (const name of this.#items.keys()) if (!this.#rooms.has(name)) this.#items.delete(name);
    for (const list of LISTS) $(list).classList.remove("stale");
    this.render();
  }

  /**
   * Take what the lobby tells of one.
   * @param {(Wire.Summary & { gone?: undefined }) | { room: string, gone: true }} event
   */
  heard(event) {
    const { room } = event;
    if (event.gone) {
      for (const known of [this.#rooms, this.#items, this.#changed]) known.delete(room);
    } else {
      this.#rooms.set(room, read(event));
      this.#changed.add(room);
    }
    this.render();
  }

  /**
   * Whether somebody plays in a room.
   * @param {string} name
   * @param {string} user
   */
  hasPlayer(name, user) {
    return Boolean(this.#rooms.get(name)?.players.includes(user));
  }

  /**
   * How many others wait for a game.
   * @param {string} [game]
   */
  waiting(game) {
    const waiting = [...this.#rooms.values()].filter((room) => room.game === game && !room.begun && this.#isOpen(room));
    return waiting.flatMap(({ players }) => players).filter((user) => user && user !== this.#session.user).length;
  }

  /**
   * What somebody who plays in a room is rated in its game, in words; "" if that isn't known.
   * @param {string} name
   * @param {string} user
   */
  ratingOf(name, user) {
    const { players = [], ratings = [] } = this.#rooms.get(name) ?? {};
    return sayRated(ratings[players.indexOf(user)]);
  }

  /** Show the lists, unless something else is shown. */
  render() {
    if ($("lobby").hidden) return;
    for (const name of this.#changed) this.#update(/** @type {Room} */ (this.#rooms.get(name)));
    this.#changed.clear();
    const game = $("rooms-game").value;
    const shown = [...this.#rooms.values()].filter((room) => !game || room.game === game);
    shown.sort(ORDERS[chosen("sort")] ?? newest);
    const open = shown.filter((room) => !room.begun || this.#isOpen(room));
    const played = shown.filter((room) => !open.includes(room));
    for (const [at, rooms] of [open, played].entries()) {
      const list = LISTS[at];
      this.#place(
        $(list),
        rooms.map(({ room }) => /** @type {HTMLElement} */ (this.#items.get(room))),
      );
      $(`${list}-count`).textContent = rooms.length || "";
      $(list).hidden = !rooms.length;
      $(`${list}-all`).hidden = rooms.length <= MOST || !$(list).classList.contains("few");
    }
    $("played-title").hidden = !played.length;
    $("rooms-tools").hidden = !this.#rooms.size;
    $("rooms-empty").hidden = open.length > 0;
    $("empty-title").textContent = say(game && this.#rooms.size ? "rooms.none" : "rooms.empty");
    for (const id of ["empty-hint", "empty-ways"]) $(id).hidden = this.#session.isAlone;
  }

  /** Let the boards of matches follow them, while they are in sight; nothing moves in a room that is open. */
  look() {
    if ($("lobby").hidden || document.hidden) return;
    for (const list of LISTS) {
      const items = [...$(list).children].slice(0, MOST);
      /** @type {any[]} */
      const rooms = items.map(({ dataset: { room }, firstElementChild: picture }) => ({ ...this.#rooms.get(room), picture }));
      drawBoards(rooms.filter(({ begun, picture }) => begun || picture.dataset.position === undefined));
    }
  }

  /**
   * Whether a visitor can sit down there: perhaps in a seat that is held for them.
   * @param {Room} room
   */
  #isOpen(room) {
    return (room.players.includes(null) && !this.#session.isAlone) || this.#isMine(room);
  }

  /** @param {Room} room */
  #isMine({ players, given_up: gone = [] }) {
    return players.some((name, seat) => name === this.#session.user && !gone.includes(seat));
  }

  /**
   * Let these be in a list, in that order, which doesn't change below a mouse or the focus.
   * @param {HTMLElement} list
   * @param {HTMLElement[]} items
   */
  #place(list, items) {
    const focused = /** @type {Element} */ (document.activeElement);
    const isBusy = list.contains(focused) || (matchMedia("(hover: hover)").matches && list.matches(":hover"));
    /** @type {Set<Element>} */
    const wanted = new Set(items);
    for (const item of [...list.children]) if (!wanted.has(item)) item.remove();
    const old = isBusy ? [...list.children] : [];
    let next = list.firstElementChild;
    for (const item of new Set([...old, ...items])) {
      if (item === next) next = next.nextElementSibling;
      else list.insertBefore(item, next);
    }
    if (focused !== document.body && !focused.isConnected) $("rooms-title").focus();
  }

  /** @param {Room} room */
  #update(room) {
    const { game, title, options, players, computers, viewers, begun, clock, rated, ratings } = room;
    const item = this.#items.get(room.room) ?? this.#add(room);
    const names = players.map((name, seat) => name && [nameOf(name, computers), sayRated(ratings[seat])].filter(Boolean).join(" "));
    const who = names.filter(Boolean).join(begun ? say("rooms.against") : ", ");
    /** @type {HTMLElement} */ (item.querySelector("b")).textContent = who;
    const about = [
      title,
      clock && sayTimeControl(clock),
      rated && say("rooms.rated"),
      sayOptions(
        this.#games.find(({ name }) => name === game),
        options,
      ),
      !begun && players.length > 2 && say("rooms.seats", { taken: names.filter(Boolean).length, count: players.length }),
      viewers > 0 && say("rooms.watching", { count: viewers }),
    ];
    write(/** @type {HTMLElement} */ (item.querySelector(".terms")), about.filter(Boolean).join(" · "));
    const isOpen = this.#isOpen(room);
    const join = /** @type {Element} */ (item.querySelector(".join"));
    join.textContent = say(this.#isMine(room) ? "away.back" : "lobby.join");
    for (const button of item.querySelectorAll("button")) {
      button.hidden = button.classList.contains("join") !== isOpen;
      button.setAttribute("aria-label", say("lobby.doTo", { do: button.textContent, names: who || room.room, title }));
    }
    this.#sayAge(room, item);
  }

  /**
   * @param {Room} room
   * @returns {HTMLElement}
   */
  #add({ room, game }) {
    const button = (/** @type {"join" | "watch"} */ what) => {
      const words = say(`lobby.${what}`);
      const made = make("button", { type: "button", class: `less ${what}` }, words);
      made.addEventListener("click", () => whileBusy(made, () => this.#ask({ do: what, room })));
      return made;
    };
    const picture = drawPlayed(this.#games.find(({ name }) => name === game) ?? { name: game });
    const lines = [make("b"), make("span", { class: "hint terms" }), make("span", { class: "hint age" })];
    const item = make("li", { class: "live" }, picture, make("div", { class: "what" }, ...lines, button("join"), button("watch")));
    item.dataset.room = room;
    this.#items.set(room, item);
    return item;
  }

  #sayAges() {
    for (const [name, item] of this.#items) this.#sayAge(/** @type {Room} */ (this.#rooms.get(name)), item);
  }

  /**
   * @param {Room} room
   * @param {HTMLElement} item
   */
  #sayAge({ room, opened }, item) {
    const minutes = Math.floor((Date.now() + this.#session.ahead - opened) / 60_000);
    const age = minutes < 1 ? say("rooms.now") : minutes < 60 ? say("rooms.minutes", { minutes }) : "";
    const words = age || say("rooms.hours", { hours: Math.floor(minutes / 60) });
    write(/** @type {HTMLElement} */ (item.querySelector(".age")), opened ? `${room} · ${words}` : room);
  }
}

/**
 * Let a button show all of a list, of which the first are shown.
 * @param {HTMLElement} button
 * @param {HTMLElement} list
 */
export function showAll(button, list) {
  list.classList.add("few");
  button.addEventListener("click", () => {
    list.classList.remove("few");
    button.hidden = true;
    list.children[MOST]?.querySelector("button:not([hidden])")?.focus();
  });
}

/**
 * A room with the moment when it was opened in milliseconds, and ratings if there are none.
 * @param {Wire.Summary} room
 * @returns {Room}
 */
function read(room) {
  return { ratings: [], ...room, opened: room.opened ? Date.parse(room.opened) : 0 };
}

/** @param {Room} room */
function best({ ratings }) {
  return Math.max(0, ...ratings.map((each) => each?.rating ?? 0));
}
