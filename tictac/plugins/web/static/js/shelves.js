// Many games: on the front page a search, and shelves of small tiles; in the lobby a filter. For servers with more games
// than fit on cards.

import { $, announce, draw, icon, make, write } from "./dom.js";
import { requestsFor } from "./front.js";
import { drawGame } from "./mini.js";
import { saySeats } from "./range.js";
import { say, translate } from "./texts.js";

/** So many games have cards: the first that are in no group. */
const CARDS = 5;

/** Milliseconds without typing until the number of games that were found is said. */
const QUIET = 500;

/** So many of the others are named above the shelves: the most played, if there are at least so many. Or else the first shelf is there. */
const NAMED = 6;
const LEAST_NAMED = 3;

/**
 * Lets a button ask for a room.
 * @typedef {(button: HTMLElement, request: import("./front.js").RoomRequest) => unknown} Offer
 * @typedef {import("./front.js").Served} Served
 */

/**
 * Which games are shown: by how many play, or by how long a match takes, where that is known.
 * @type {Record<string, (game: Served) => boolean>}
 */
const KINDS = {
  all: () => true,
  two: ({ seats }) => seats.includes(2),
  many: ({ seats }) => Math.max(...seats) > 2,
  short: ({ minutes }) => /** @type {number} */ (minutes) < 5,
};

/**
 * Show `games`, each with what plays it, the tiles once what stands `above` them is there.
 * @param {Served[]} games
 * @param {Offer} offer
 * @param {Promise<void>} above
 */
export function newShelves(games, offer, above) {
  return new Shelves(games, offer, above);
}

class Shelves {
  #games;
  #offer;
  #timer = 0;
  #find = make("input", { id: "find", type: "text", autocomplete: "off", spellcheck: false, placeholder: say("shelves.find") });
  #key = make("kbd", { "aria-hidden": "true" }, "/");
  #found = make("div", { id: "found", hidden: true });
  #chips = make("div", { class: "chips", role: "radiogroup", "aria-label": say("shelves.show") });
  #all = make("div", {});
  #shelves = make(
    "section",
    { class: "shelf", id: "all-games" },
    make("div", { class: "section" }, make("h2", {}, say("shelves.title"))),
    this.#chips,
    this.#all,
  );
  /**
   * The games that have cards.
   * @type {Served[]}
   */
  cards;
  /**
   * Some of the others, which are in sight at once.
   * @type {Served[]}
   */
  #named;
  /** Whether these are the most played, which have their places on the shelves, too. */
  #areMost;

  /**
   * @param {Served[]} games
   * @param {Offer} offer
   * @param {Promise<void>} above
   */
  constructor(games, offer, above) {
    this.#games = games;
    this.#offer = offer;
    this.cards = games.filter(({ group }) => !group).slice(0, CARDS);
    const others = games.filter((game) => !this.cards.includes(game));
    const played = /** @type {Required<Served>[]} */ (others.filter((game) => game.rank)).sort((one, other) => one.rank - other.rank);
    this.#areMost = played.length >= LEAST_NAMED;
    const [first, second] = Map.groupBy(others, groupOf);
    const isShelf = !this.#areMost && Boolean(second && first[0]) && first[1].length > 1;
    this.#named = isShelf ? first[1] : (this.#areMost ? played : others).slice(0, NAMED);
    const title = this.#areMost ? say("shelves.most") : isShelf ? first[0] : say("shelves.more");
    const label = make("label", { htmlFor: "find", class: "visually-hidden" }, say("shelves.find"));
    const form = make("form", { class: "finder", role: "search" }, drawLens(), label, this.#find, this.#key);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#found.querySelector(".tile-go")?.click();
    });
    this.#find.addEventListener("input", () => this.#search());
    this.#find.addEventListener("keydown", (event) => event.key === "Escape" && this.#clear());
    document.addEventListener("keydown", (event) => this.#press(event));
    /** @type {HTMLElement} */ ($("front").querySelector(".hero")).append(form);
    $("front").classList.add("many");
    $("front-games").before(this.#found);
    above.then(() => {
      $("front-more").append(this.#show(title));
      $("front-more").after(this.#shelves);
    });
    for (const kind of Object.keys(KINDS).filter((each) => games.some(KINDS[each]))) {
      const input = make("input", { type: "radio", class: "visually-hidden", name: "kind", value: kind, checked: kind === "all" });
      input.addEventListener("change", () => this.#choose(kind));
      this.#chips.append(make("label", { class: "chip" }, input, say(`shelves.kinds.${kind}`)));
    }
    this.#choose("all");
  }

  /** @param {string} title of those that are named */
  #show(title) {
    const every = make("a", { class: "more", href: "#all-games" }, say("shelves.every", { count: this.#games.length }));
    const head = make("div", { class: "section" }, make("h2", {}, title), every);
    return make("section", { "aria-label": title }, head, this.#tiles(this.#named));
  }

  /** @param {string} kind */
  #choose(kind) {
    const above = [...this.cards, ...(this.#areMost ? [] : this.#named)];
    const shown = this.#games.filter((game) => KINDS[kind](game) && (kind !== "all" || !above.includes(game)));
    const groups = Map.groupBy(shown, groupOf);
    const rest = [];
    const shelves = [];
    for (const [group, games] of groups) {
      if (group && games.length > 1) shelves.push(this.#shelf(group, games));
      else rest.push(...games.filter((game) => kind !== "all" || !this.#named.includes(game)));
    }
    if (rest.length) shelves.push(this.#shelf(say("shelves.more"), rest));
    this.#all.replaceChildren(...shelves);
  }

  /**
   * @param {string} title
   * @param {Served[]} games
   */
  #shelf(title, games) {
    const count = make("span", { class: "hint" }, say("shelves.count", { count: games.length }));
    const head = make("div", { class: "section" }, make("h3", {}, title), count);
    return make("section", { class: "shelf", "aria-label": title }, head, this.#tiles(games));
  }

  /** @param {Served[]} games */
  #tiles(games) {
    return make("ul", { class: "tiles" }, ...games.map((game) => this.#tile(game)));
  }

  /**
   * A game that a click plays: against the computer, if that plays it.
   * @param {Served} game
   */
  #tile(game) {
    const { title, goal, minutes } = game;
    const { computer, others } = requestsFor(game);
    const players = make(
      "span",
      { class: "fact" },
      icon("people"),
      make("span", { class: "visually-hidden" }, say("shelves.players")),
      saySeats(game.seats),
    );
    const time = minutes ? [" ", make("span", { class: "fact" }, icon("clock"), say("shelves.minutes", { minutes }))] : [];
    const sign = make(
      "span",
      { class: "go-sign", "aria-hidden": "true" },
      draw("svg", { viewBox: "0 0 24 24" }, draw("path", { d: "M8 5v14l11-7Z" })),
    );
    const does = say(computer ? "front.computer" : "front.others");
    const what = make(
      "span",
      { class: "what" },
      make("b", {}, title),
      make("span", { class: "visually-hidden" }, `, ${does}. `),
      players,
      ...time,
      make("span", { class: "goal" }, goal),
    );
    const go = make("button", { type: "button", class: "tile-go" }, drawGame(game), ...(computer ? [sign] : []), what);
    this.#offer(go, computer ?? others);
    if (!computer) return make("li", { class: "tile" }, go);
    const play = make("button", { type: "button", class: "tile-with", "aria-label": `${say("front.somebody")}: ${title}` }, icon("people"));
    this.#offer(play, others);
    return make("li", { class: "tile" }, go, play);
  }

  // The search

  /** @param {Heard<KeyboardEvent>} event */
  #press(event) {
    const isTyping = event.target.matches?.("input,textarea,select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.altKey || event.metaKey || $("front").hidden) return;
    event.preventDefault();
    this.#find.focus();
  }

  #clear(text = "") {
    this.#find.value = text;
    this.#search();
    this.#find.focus();
  }

  #search() {
    clearTimeout(this.#timer);
    const text = this.#find.value.trim();
    const isFound = Boolean(text);
    this.#found.hidden = !isFound;
    for (const other of [$("front-games"), $("front-more"), this.#shelves]) other.hidden = isFound;
    this.#key.hidden = isFound;
    if (!isFound) return;
    const games = search(this.#games, text);
    const words = games.length ? say("shelves.found", { count: games.length, text }) : say("shelves.none", { text });
    const [near] = games.length ? [] : nearest(this.#games, text);
    const button = (/** @type {string} */ words, wanted = "") => {
      const made = make("button", { type: "button", class: wanted ? "link" : "quiet less" }, words);
      made.addEventListener("click", () => this.#clear(wanted));
      return made;
    };
    const count = this.#games.length;
    const head = make(
      "p",
      { class: "section" },
      make("b", {}, words),
      button(games.length ? say("shelves.clear") : say("shelves.every", { count })),
    );
    const meant = near ? [make("p", {}, `${say("shelves.meant")} `, button(near.title, near.title), "?")] : [];
    this.#found.replaceChildren(head, ...meant, this.#tiles(games.length ? games : near ? [near] : []));
    this.#timer = setTimeout(() => announce(words), QUIET);
  }
}

/** @param {Served} game */
const groupOf = ({ group = "" }) => group && translate(group);

function drawLens() {
  const lens = draw("path", { d: "M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M16 16l5 5" });
  return draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, lens);
}

const plain = (/** @type {string} */ text) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/**
 * The games whose title or group has all words of a text, else those whose goal has; first those whose title begins with it.
 * @template {Wire.Game} G
 * @param {G[]} games
 * @param {string} text
 */
function search(games, text) {
  const wanted = plain(text);
  const words = wanted.split(/\s+/);
  /** @param {(game: G) => string} textOf */
  const having = (textOf) => games.filter((game) => words.every((word) => plain(textOf(game)).includes(word)));
  const found = having(({ name, title, group = "" }) => `${name} ${title} ${group && translate(group)}`);
  const begins = (/** @type {G} */ { title }) => Number(plain(title).startsWith(wanted));
  if (!found.length) return having(({ goal }) => goal);
  return found.sort((one, other) => begins(other) - begins(one));
}

/**
 * The game whose title is the most like a text, if one is like it.
 * @template {Wire.Game} G
 * @param {G[]} games
 * @param {string} text
 */
function nearest(games, text) {
  const far = (/** @type {G} */ game) => distance(plain(game.title), plain(text));
  const [near] = [...games].sort((one, other) => far(one) - far(other));
  return near && far(near) <= Math.max(2, text.length / 3) ? [near] : [];
}

/**
 * How many letters to put in, take out, or change make one text the other (Levenshtein).
 * @param {string} one
 * @param {string} other
 */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [y, sign] of [...one].entries()) {
    const next = [y + 1];
    for (const [x, wanted] of [...other].entries()) {
      next.push(Math.min(row[x] + (sign === wanted ? 0 : 1), row[x + 1] + 1, next[x] + 1));
    }
    row = next;
  }
  return /** @type {number} */ (row.at(-1));
}

/**
 * A game that one can choose: a label around a radio button.
 * @typedef {HTMLElement & { querySelector(name: "input"): HTMLInputElement }} Choice
 */

/**
 * Let the first pictures of games in `pick` be shown, and that of the chosen game, until a button shows all.
 * @param {HTMLElement} pick
 * @param {Wire.Game[]} games
 */
export function shorten(pick, games) {
  const more = make("button", { type: "button" }, say("shelves.others", { count: games.length - CARDS }));
  more.addEventListener("click", () => {
    more.remove();
    pick.classList.replace("some", "every");
    addFilter(pick, games);
  });
  pick.classList.add("some");
  pick.append(more);
}

/**
 * Let a field choose which of the pictures are shown.
 * @param {HTMLElement} pick
 * @param {Wire.Game[]} games
 */
function addFilter(pick, games) {
  const field = make("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: false,
    placeholder: say("shelves.find"),
    "aria-label": say("shelves.find"),
  });
  const none = make("p", { class: "hint", hidden: true });
  field.addEventListener("input", () => {
    const text = field.value.trim();
    const found = new Set(search(games, text).map(({ name }) => name));
    for (const label of /** @type {Iterable<Choice>} */ (pick.children)) label.hidden = !found.has(label.querySelector("input").value);
    write(none, found.size ? "" : say("shelves.none", { text }));
  });
  // What Enter does in the form is to open a room.
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    [.../** @type {Iterable<Choice>} */ (pick.children)].find((label) => !label.hidden)?.click();
  });
  pick.before(field);
  pick.after(none);
  field.focus();
}
