// A list of rooms: what there is to say of each, and buttons to join and to watch it.

import { $, make, write } from "./dom.js";

/** Of the list of that id; `enter(room, mode)` is called for a button, mode is PLAYER or VIEWER. */
export class RoomList {
  #id;
  #enter;
  #items = new Map();

  constructor(id, enter) {
    this.#id = id;
    this.#enter = enter;
  }

  /** Nothing is known of the rooms at the moment. */
  pause() {
    $(this.#id).classList.add("stale");
  }

  /**
   * Show these. Each has a `room`, the `name` and `label` that it goes by in the list and on its
   * buttons, `what` is to say of it, and whether it is `open` to players.
   */
  render(rooms) {
    const list = $(this.#id);
    list.classList.remove("stale");
    const named = new Set(rooms.map(({ room }) => room));
    for (const [room, item] of this.#items) {
      if (!named.has(room)) {
        item.remove();
        this.#items.delete(room);
      }
    }
    for (const one of rooms) this.#update(this.#items.get(one.room) ?? this.#add(one, list), one);
    list.hidden = rooms.length === 0;
    $(`${this.#id}-empty`).hidden = rooms.length > 0;
  }

  #add({ room, name, label }, list) {
    const join = make("button", { type: "button", class: "join" }, "Join");
    const watch = make("button", { type: "button", class: "watch quiet" }, "Watch");
    join.setAttribute("aria-label", `Join ${label}`);
    watch.setAttribute("aria-label", `Watch ${label}`);
    join.addEventListener("click", () => this.#enter(room, "PLAYER"));
    watch.addEventListener("click", () => this.#enter(room, "VIEWER"));
    const item = make(
      "li",
      {},
      make("span", { class: "name" }, name),
      make("span", { class: "kind" }),
      make("span", { class: "buttons" }, join, watch),
    );
    this.#items.set(room, item);
    list.append(item);
    return item;
  }

  #update(item, { open, what }) {
    item.className = open ? "open" : "";
    write(item.querySelector(".kind"), what);
    item.querySelector(".join").hidden = !open;
  }
}

/** How many there are, in words. */
export function count(all, open, what) {
  if (!all) return "";
  return `${all} ${all === 1 ? what : `${what}s`}, ${open} to join`;
}
