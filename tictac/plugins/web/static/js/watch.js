// Matches to watch: those that are being played, with boards that follow them.

import { read, readGames } from "./archive.js";
import { dress } from "./archived.js";
import { $, addStyle, entitle, make, show } from "./dom.js";
import { PAUSE, showPlayed } from "./live.js";
import { drawNothing } from "./nothing.js";
import { Shows } from "./shows.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

/** So many of them. */
const MOST = 30;

export class WatchView {
  #stay = new Stay();
  #timer = 0;
  /** @type {Wire.Game[]} */
  #games = [];
  #title = make("h1", { id: "watch-title", tabIndex: -1 }, say("match.watch.title"));
  #list = make("ul", { class: "boards", id: "watch-rooms", "aria-labelledby": "watch-title" });
  #none = make(
    "div",
    { class: "card empty", hidden: true },
    ...drawNothing(
      "dot",
      say("match.watch.none"),
      say("match.watch.noneHint"),
      make("a", { class: "button main", href: "/" }, say("page.play")),
    ),
  );
  #show = make("section", { id: "watch-show", hidden: true });
  #shows = new Shows(this.#show, () => this.#none.checkVisibility());
  #more = make("p", { class: "hint", hidden: true });
  #import = make("p", { hidden: true }, make("a", { href: "/import" }, say("import.link")));

  constructor() {
    const names = { class: "view stack", id: "watch", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#list, this.#none, this.#show, this.#more, this.#import));
  }

  async open() {
    this.close();
    this.#stay.begin();
    this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE);
    await this.#stay.here(Promise.all([dress(), addStyle("/css/play.css").catch(() => {})]));
    show("watch");
    entitle(say("match.watch.title"));
    this.#title.focus();
    read(["formats"]).then(
      ({ formats }) => (this.#import.hidden = !Object.keys(formats).length),
      () => {},
    );
    await this.#look();
  }

  close() {
    clearInterval(this.#timer);
    this.#stay.end();
  }

  async #look() {
    if (!this.#games.length) {
      this.#games = await this.#stay.here(readGames());
      this.#shows.set([...this.#games], "");
    }
    const count = await this.#stay.here(showPlayed(this.#list, this.#games, MOST));
    if (count === null) return; // the banner says why
    this.#none.hidden = count > 0;
    this.#shows.look();
    this.#more.hidden = count <= MOST;
    this.#more.textContent = say("match.watch.more", { count: count - MOST });
  }
}
