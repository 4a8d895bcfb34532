// How to play: the rules of each game, for everybody.

import { askAsGuest, dress, explain, readGames } from "./archive.js";
import { $, entitle, icon, make, show, write } from "./dom.js";
import { drawGame } from "./mini.js";
import { pathTo } from "./router.js";
import { say, translate } from "./texts.js";

export class GuideView {
  #session;
  #stop = null;
  #title = make("h1", { id: "guide-title", tabIndex: -1 });
  #games = make("nav", { class: "guide-games", "aria-label": say("form.game") });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #picture = make("div", {});
  #rules = make("ol", { class: "guide-rules", id: "guide-rules" });
  #play = make("a", { class: "button main big" });

  constructor(session) {
    this.#session = session;
    const names = { class: "view guide", id: "guide", "aria-labelledby": this.#title.id, hidden: true };
    const card = make("div", { class: "card" }, this.#picture, this.#rules);
    const article = make("div", { class: "stack" }, this.#title, this.#note, card, this.#play);
    $("main").append(make("section", names, this.#games, article));
  }

  /** Show the rules of a game, by default of the first one. */
  async open(name = "") {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    const [games] = await Promise.all([readGames(), dress()]);
    if (signal.aborted) return;
    const game = games.find((each) => each.name === name) ?? games[0];
    write(this.#title, say("table.how"));
    write(this.#play, "");
    this.#picture.replaceChildren();
    this.#rules.replaceChildren();
    if (game) this.#describe(game, games);
    show("guide");
    entitle(this.#title.textContent);
    this.#title.focus();
    await this.#ask(game?.name, signal);
  }

  close() {
    this.#stop?.abort();
  }

  #describe(game, games) {
    write(this.#title, say("guide.title", game));
    this.#games.replaceChildren(...games.map((each) => {
      const current = each === game ? { "aria-current": "page" } : {};
      return make("a", { href: pathTo("rules", each.name), ...current }, drawGame(each), each.title);
    }));
    this.#picture.replaceChildren(drawGame(game));
    this.#play.href = pathTo("game", game.name);
    this.#play.replaceChildren(icon("robot"), say("guide.play", game));
    this.#play.hidden = false;
  }

  /** Ask for the rules: a stranger does that as a guest. */
  async #ask(game, signal) {
    try {
      const request = { do: "rules", game };
      const { rules } = await (this.#session.user ? this.#session.ask(request) : askAsGuest(request, signal));
      if (signal.aborted) return;
      this.#rules.replaceChildren(...rules.map((rule) => make("li", {}, translate(rule))));
      write(this.#note, "");
    } catch (error) {
      if (!signal.aborted) write(this.#note, explain(error));
    }
  }
}
