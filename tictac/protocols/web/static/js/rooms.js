// The list of tables in the lobby: what the server tells of, as the visitor wants to see it.

import { sayTimeControl } from "./clocks.js";
import { $, make, whileBusy, write } from "./dom.js";
import { sayOptions } from "./form.js";
import { bind, chosen } from "./settings.js";
import { say } from "./texts.js";

/** Milliseconds between two looks at how old tables are. */
const TICK = 15_000;

const newest = (one, other) => other.opened - one.opened;

/** By what they can be sorted. */
const ORDERS = {
  newest,
  oldest: (one, other) => newest(other, one),
  rating: (one, other) => best(other) - best(one) || newest(one, other),
  viewers: (one, other) => other.viewers - one.viewers || newest(one, other),
};

/** `ask(request)` asks for a table. */
export class Rooms {
  #session;
  #ask;
  #rooms = new Map();
  #items = new Map();
  #changed = new Set(); // since they were shown last
  #games = [];

  constructor(session, ask) {
    this.#session = session;
    this.#ask = ask;
    session.addEventListener("lost", () => $("rooms").classList.add("stale"));
    for (const name of ["game", "show", "sort"]) bind($(`rooms-${name}`), name, () => this.render());
    for (const event of ["pointerleave", "focusout"]) {
      $("rooms").addEventListener(event, () => setTimeout(() => this.render()));
    }
    setInterval(() => this.#sayAges(), TICK);
  }

  /** These are all that there are. */
  set(games, rooms) {
    this.#games = games;
    const all = make("option", { value: "" }, say("rooms.allGames"));
    const some = games.map(({ name, title }) => make("option", { value: name }, title));
    $("rooms-game").replaceChildren(all, ...some);
    $("rooms-game").value = games.some(({ name }) => name === chosen("game")) ? chosen("game") : "";
    this.#rooms = new Map(rooms.map((room) => [room.room, read(room)]));
    this.#changed = new Set(this.#rooms.keys());
    for (const name of this.#items.keys()) if (!this.#rooms.has(name)) this.#items.delete(name);
    $("rooms").classList.remove("stale");
    this.render();
  }

  /** Take what the lobby tells of one. */
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

  /** Whether somebody plays in a room. */
  hasPlayer(name, user) {
    return Boolean(this.#rooms.get(name)?.players.includes(user));
  }

  /** What somebody who plays at a table is rated in its game, in words; "" if that isn't known. */
  ratingOf(name, user) {
    const { players = [], ratings = [] } = this.#rooms.get(name) ?? {};
    return sayRating(ratings[players.indexOf(user)]);
  }

  /** Show the list, unless something else is shown. */
  render() {
    if ($("lobby").hidden) return;
    for (const name of this.#changed) this.#update(this.#rooms.get(name));
    this.#changed.clear();
    const shown = [...this.#rooms.values()].filter((room) => this.#isWanted(room));
    this.#place(shown.sort(ORDERS[chosen("sort")] ?? newest).map(({ room }) => this.#items.get(room)));
    const [count, open] = [this.#rooms.size, [...this.#rooms.values()].filter((room) => this.#isOpen(room)).length];
    $("rooms").hidden = shown.length === 0;
    $("rooms-tools").hidden = count === 0;
    write($("rooms-empty"), shown.length ? "" : say(count ? "rooms.none" : "rooms.empty"));
    const some = shown.length < count ? say("rooms.some", { shown: shown.length, count }) : "";
    write($("rooms-count"), count ? some || say("rooms.count", { count, open }) : "");
  }

  /** Whether a visitor can sit down there: perhaps in a seat that is held for them. */
  #isOpen({ players, given_up: gone = [] }) {
    const { user, isAlone } = this.#session;
    const isMine = players.some((name, seat) => name === user && !gone.includes(seat));
    return (players.includes(null) && !isAlone) || isMine;
  }

  #isWanted(room) {
    const [game, show] = [$("rooms-game").value, chosen("show")];
    const isShown = show === "open" ? this.#isOpen(room) : show === "begun" ? room.begun : true;
    return isShown && (!game || room.game === game);
  }

  /** Let these be in the list, in that order, which doesn't change below a mouse or the focus. */
  #place(items) {
    const [list, focused] = [$("rooms"), document.activeElement];
    const isBusy = list.contains(focused) || (matchMedia("(hover: hover)").matches && list.matches(":hover"));
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

  #update(room) {
    const { game, options, players, viewers, begun, clock, rated, ratings } = room;
    const item = this.#items.get(room.room) ?? this.#add(room);
    const names = players.map((name, seat) => name && [name, sayRating(ratings[seat])].filter(Boolean).join(" "));
    const here = names.filter(Boolean);
    const against = begun
      ? here.join(say("rooms.against"))
      : say("rooms.waits", { names: here.join(", "), count: here.length });
    const unusual = sayOptions(this.#games.find(({ name }) => name === game), options);
    write(item.querySelector(".who"), [against, unusual].filter(Boolean).join(" · "));
    write(item.querySelector(".time"), clock ? sayTimeControl(clock) : "");
    write(item.querySelector(".counts"), rated ? say("rooms.rated") : "");
    write(item.querySelector(".watched"), viewers ? say("rooms.watching", { count: viewers }) : "");
    const isOpen = this.#isOpen(room);
    item.classList.toggle("open", isOpen);
    item.querySelector(".join").hidden = !isOpen;
    this.#sayAge(room, item);
  }

  #add({ room, title, owner }) {
    const button = (what, kind) => {
      const words = say(`lobby.${what}`);
      const label = say("lobby.doTo", { do: words, room, title });
      const made = make("button", { type: "button", class: kind, "aria-label": label }, words);
      made.addEventListener("click", () => whileBusy(made, () => this.#ask({ do: what, room })));
      return made;
    };
    const by = owner ? say("rooms.by", { room, owner }) : room;
    const item = make("li", {},
      make("span", { class: "name", title: `${title} ${by}` }, title, " ", make("span", { class: "hint" }, by)),
      make("span", { class: "who" }),
      make("span", { class: "meta" }, ...["counts", "time", "watched", "age"].map((kind) => make("span", { class: kind }))),
      make("span", { class: "buttons" }, button("join", "join"), button("watch", "quiet watch")),
    );
    this.#items.set(room, item);
    return item;
  }

  #sayAges() {
    for (const [name, item] of this.#items) this.#sayAge(this.#rooms.get(name), item);
  }

  #sayAge(room, item) {
    const minutes = Math.floor((Date.now() + this.#session.ahead - room.opened) / 60_000);
    const age = minutes < 1 ? say("rooms.now") : minutes < 60 ? say("rooms.minutes", { minutes }) : "";
    write(item.querySelector(".age"), room.opened ? age || say("rooms.hours", { hours: Math.floor(minutes / 60) }) : "");
  }
}

/** What somebody is rated, beside the name; "" if that isn't known. */
export function sayRating(rating) {
  if (!rating) return "";
  const said = say(rating.provisional ? "rooms.provisional" : "rooms.rating", rating);
  return rating.aborts ? `${said} ${say("rooms.aborts", rating)}` : said;
}

/** A table with the moment when it was opened in milliseconds, and ratings if there are none. */
function read(room) {
  return { ratings: [], ...room, opened: room.opened ? Date.parse(room.opened) : 0 };
}

function best({ ratings }) {
  return Math.max(0, ...ratings.map((each) => each?.rating ?? 0));
}
