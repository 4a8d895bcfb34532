// Your games: all in which one has a seat, those first that wait for one's move. Without a connection: as they stood.

import { boardOf } from "./boards.js";
import { sayTimeControl } from "./clocks.js";
import { $, entitle, icon, make, refill, show, write } from "./dom.js";
import { fetchFace } from "./faces.js";
import { sayMove } from "./games.js";
import { faceOf, nameOf } from "./names.js";
import { hasPage, pathTo } from "./router.js";
import { drawNothing } from "./nothing.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";
import { isLive, isMine, matches, sayTimeLeft, secondsOf, toldAt, whenTurned } from "./turns.js";

/** Seconds below which time is scarce, and which are days. */
const [HOUR, DAY] = [3600, 86_400];

const AGO = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
const WHEN = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

export class MineView {
  /** @type {Session} */
  #session;
  /** @type {(why: string) => void} */
  #shut;
  #element;
  #stay = new Stay();
  #title = make("h1", { id: "mine-title", tabIndex: -1 }, say("mine.title"));
  #about = make("p", { class: "hint" });
  #note = make("p", { class: "note", id: "mine-offline", role: "status", hidden: true });
  #none = make(
    "div",
    { class: "card empty", hidden: true },
    ...drawNothing("dot", say("mine.none"), say("mine.noneHint"), make("a", { class: "button main", href: "/" }, say("mine.new"))),
  );
  #lists = ["yours", "theirs", "open"].map((name) => {
    const title = make("h2", { id: `mine-${name}-title` }, say(`mine.${name}`));
    const list = make("ul", { id: `mine-${name}`, "aria-labelledby": title.id });
    return { name, list, element: make("section", { class: "card", "aria-labelledby": title.id, hidden: true }, title, list) };
  });

  /**
   * @param {Session} session
   * @param {(why: string) => void} shut
   */
  constructor(session, shut) {
    [this.#session, this.#shut] = [session, shut];
    const names = { class: "view stack", id: "mine", "aria-labelledby": this.#title.id, hidden: true };
    const ways = make(
      "div",
      { class: "row" },
      make("a", { class: "button", href: "/notices" }, say("notices.title")),
      make("a", { class: "button main", href: "/" }, say("mine.new")),
    );
    const head = make("div", { class: "mine-head" }, make("div", {}, this.#title, this.#about), ways);
    this.#element = make("section", names, head, this.#note, ...this.#lists.map(({ element }) => element), this.#none);
    $("main").append(this.#element);
    whenTurned(() => this.#render());
    setInterval(() => document.hidden || this.#render(), 30_000);
  }

  async open() {
    if (!this.#session.user || this.#session.isGuest) return this.#shut(say("mine.logIn"));
    this.#stay.begin();
    show("mine");
    entitle(say("mine.title"));
    this.#title.focus();
    this.#render();
    await this.#stay.here(Promise.all([...new Set(matches().map(({ game }) => game))].map(fetchFace)));
    this.#render();
  }

  close() {
    this.#stay.end();
  }

  #render() {
    if (this.#element.hidden) return;
    const all = matches();
    /** @type {Record<string, Kept[]>} */
    const of = {
      yours: all.filter(isMine),
      theirs: all.filter((one) => one.begun && !isMine(one)),
      open: all.filter(({ begun }) => !begun),
    };
    for (const { name, list, element } of this.#lists) {
      element.hidden = !of[name].length;
      refill(list, ...of[name].map((one) => this.#row(one)));
    }
    write(this.#note, !isLive() && toldAt() ? say("mine.offline", { when: WHEN.format(toldAt()) }) : "");
    write(this.#about, all.length ? say("mine.about", { count: of.yours.length, of: all.length }) : "");
    this.#none.hidden = all.length > 0 || !toldAt();
  }

  /** @param {Kept} one */
  #row(one) {
    const { room, game, title, options, position, players, computers, seat, clock, last, unread, offer } = one;
    const described = this.#session.games.find(({ name }) => name === game) ?? { name: game };
    const picture = make("span", { class: `picture g-${game}`, "aria-hidden": "true" }, boardOf(described, { position, options }));
    const others = players.filter((_, at) => at !== seat);
    const names = others.map((name) =>
      name && hasPage(name) ? make("a", { href: pathTo("player", name) }, nameOf(name, computers)) : say("table.nobody"),
    );
    const against = make(
      "span",
      { class: "against" },
      faceOf(others[0] ?? " ", computers, "", "small"),
      make("span", {}, ...names.flatMap((name) => [name, " "])),
    );
    /** @type {any[]} */
    const badges = [offer && offer.seat !== seat && say("mine.offers"), unread && say("mine.unread", { count: unread })].filter(Boolean);
    const about = make(
      "span",
      { class: "which" },
      make("b", {}, title),
      " ",
      make("span", { class: "hint" }, clock ? sayTimeControl(clock) : say("table.noClock")),
    );
    const made = last
      ? [say(last.seat === seat ? "mine.youPlayed" : "mine.theyPlayed", { move: sayMove(game, last.move), ago: this.#ago(last.at) })]
      : [];
    const action = say(isMine(one) ? "page.play" : "mine.look");
    return make(
      "li",
      { class: isMine(one) ? "game-row yours" : "game-row" },
      picture,
      against,
      about,
      make("span", { class: "left" }, ...this.#left(one)),
      make("span", { class: "hint last" }, ...made, ...badges.flatMap((words) => [" ", make("span", { class: "badge good" }, words)])),
      make(
        "a",
        {
          class: `button less${isMine(one) ? " main" : ""}`,
          href: pathTo("room", room),
          "aria-label": `${action}: ${title}, ${others
            .filter(Boolean)
            .map((name) => nameOf(/** @type {string} */ (name), computers))
            .join(", ")}`,
        },
        action,
      ),
    );
  }

  /**
   * The time that is left: red below an hour, amber below a day, if it is one's own.
   * @param {Kept & { clock: TimeControl | null }} one
   */
  #left(one) {
    const [seconds, words] = [/** @type {number} */ (secondsOf(one)), sayTimeLeft(one)];
    if (!words) return [];
    const kind = !isMine(one) || !one.clock?.days ? "" : seconds < HOUR ? "bad" : seconds < DAY ? "warn" : "";
    return [make("span", { class: `badge ${kind}` }, icon("clock"), make("span", { class: "visually-hidden" }, say("mine.left")), words)];
  }

  /** @param {string} at */
  #ago(at) {
    const minutes = Math.max(0, (Date.now() + this.#session.ahead - Date.parse(at)) / 60_000);
    if (minutes < 60) return AGO.format(-Math.round(minutes), "minute");
    return minutes < 1440 ? AGO.format(-Math.round(minutes / 60), "hour") : AGO.format(-Math.round(minutes / 1440), "day");
  }
}
