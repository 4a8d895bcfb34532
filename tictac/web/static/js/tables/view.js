// A table of any game: the match as it is, for its players and for who watches.

import { $, announce, make, show, write } from "../dom.js";
import { player } from "../players.js";
import { ask, withdraw } from "../question.js";
import { Lost, remember } from "../session.js";
import { Board, drawLook } from "./board.js";
import { markOf, readGrid, sayMove, sayPosition } from "./games.js";
import { Refused } from "./link.js";
import { describe, Table } from "./table.js";

/** More moves than that are typed into a field, and not offered as buttons. */
const BUTTONS = 40;
/** Milliseconds between two questions for a seat that the server doesn't hold yet, and of all. */
const SEAT_PAUSE = 250;
const PATIENCE = 70_000;

/** `entered()` is called when it shows itself, `left()` when the visitor goes back. */
export class TableView {
  table = null;
  #link;
  #entered;
  #left;
  #board = new Board((move) => this.#play(move));
  #losses = 0;

  constructor(link, entered, left) {
    this.#link = link;
    this.#entered = entered;
    this.#left = left;
    link.addEventListener("event", (event) => this.#heard(event.detail));
    link.addEventListener("lost", () => this.#cut());
    link.addEventListener("ready", () => this.table?.isAway && this.#comeBack());
    link.addEventListener("failed", () => this.table && !this.table.result && this.#lose());
    $("table-board").append(this.#board.element);
    const buttons = {
      "table-back": () => this.#goBack(),
      "table-leave": () => this.#leave(),
      "table-resign": () => this.#resign(),
      "table-offer": () => this.#ask({ do: "offer", what: "draw" }),
      "table-accept": () => this.#ask({ do: "accept" }),
      "table-decline": () => this.#ask({ do: "decline" }),
    };
    for (const [id, work] of Object.entries(buttons)) $(id).addEventListener("click", work);
    this.#listen("table-move", (text) => this.#play(text));
    this.#listen("table-say", (text) => this.#ask({ do: "say", text }));
    setInterval(() => this.table?.clocks && this.#renderPlayers(), 1000);
    addEventListener("beforeunload", (event) => this.isPlaying && event.preventDefault());
  }

  /** Whether a match runs that leaving would lose. */
  get isPlaying() {
    return Boolean(this.table?.isPlaying);
  }

  /** Show a table at which one was before a reload, and go back to it. */
  reopen({ room, seat }) {
    this.#show(new Table(room, seat));
    this.table.leave();
    this.#render();
    return this.#comeBack();
  }

  /** Leave it without a word to the visitor, who goes elsewhere. */
  close() {
    const { table } = this;
    if (!table) return;
    if (!table.result && !table.isAway) this.#ask({ do: "leave", for_good: true });
    this.#forget();
  }

  #forget() {
    this.table = null;
    withdraw();
    remember({ table: undefined });
  }

  #listen(id, work) {
    const input = $(`${id}-text`);
    $(id).addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text) work(text);
      if (text) input.value = "";
    });
  }

  #heard(event) {
    if (event.event === "lobby") return;
    if (event.event === "room" && event.room !== this.table?.room) {
      this.close();
      this.#show(new Table(event.room, event.seat));
    }
    const { table } = this;
    if (event.room !== table?.room || table.result) return;
    const [before, wasMine] = [describe(table), table.isMyTurn];
    const told = table.apply(event);
    if (event.event === "room") remember({ table: { room: table.room, seat: table.seat } });
    write($("table-error"), "");
    this.#render();
    const now = describe(table);
    announce([told, now === before && told ? "" : now].filter(Boolean).join(" "));
    const isIdle = document.activeElement === $("table-title");
    if (table.isMyTurn && !wasMine && isIdle) this.focus();
    if (table.result) this.#over();
  }

  #show(table) {
    this.table = table;
    this.#entered();
    show("table");
    write($("table-error"), "");
    $("table-title").focus();
  }

  // What the visitor does

  async #play(move) {
    const { table } = this;
    if (!table.isMyTurn) return;
    table.pending = move;
    write($("table-error"), "");
    this.#render();
    try {
      await this.#link.askInTime({ do: "move", room: table.room, move, at: table.n });
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      if (table !== this.table) return;
      table.pending = null;
      this.#render();
      this.#complain(error.message);
    }
  }

  async #ask(request) {
    try {
      await this.#link.ask({ ...request, room: this.table.room });
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      this.#complain(error.message);
    }
  }

  async #resign() {
    const isSure = await ask("Give the match up?", "The other player wins then.");
    if (isSure && this.isPlaying) await this.#ask({ do: "resign" });
  }

  #leave() {
    this.close();
    this.#left();
  }

  #goBack() {
    this.#forget();
    this.#left();
  }

  #complain(text) {
    write($("table-error"), text);
    announce(text);
  }

  // The connection

  #cut() {
    const { table } = this;
    this.#losses++;
    if (!table || table.result || table.isAway) return;
    table.leave();
    withdraw();
    if ($("table-actions").contains(document.activeElement)) $("table-title").focus();
    this.#render();
    announce(describe(table));
  }

  /** Logged in again: ask for the seat until the server has noticed that it is free, or just watch. */
  async #comeBack() {
    const { table } = this;
    const [losses, until] = [this.#losses, Date.now() + PATIENCE];
    const request = { do: table.seat === null ? "watch" : "join", room: table.room };
    while (losses === this.#losses && table === this.table) {
      try {
        return await this.#link.ask(request);
      } catch (error) {
        if (error instanceof Lost) return; // and so it begins again
        if (!(error instanceof Refused)) throw error;
        if (error.code !== "room-full" || Date.now() > until) return this.#lose();
      }
      await new Promise((resolve) => setTimeout(resolve, SEAT_PAUSE * (1 + Math.random())));
    }
  }

  #lose() {
    this.table.result = { how: "lost" };
    this.#render();
    announce(describe(this.table));
    this.#over();
  }

  #over() {
    remember({ table: undefined });
    withdraw();
    $("table-back").focus({ preventScroll: true });
  }

  // What is shown

  /** Put the focus where a move is made. */
  focus() {
    if (!$("table-board").hidden) this.#board.focus();
    else ($("table-moves").querySelector("button") ?? $("table-move-text")).focus();
  }

  #render() {
    const { table } = this;
    const isWatching = table.seat === null && table.n > 0;
    $("table").classList.toggle("over", Boolean(table.result));
    $("table-title").textContent = table.title;
    const watchers = table.viewers.length ? `Watching: ${table.viewers.join(", ")}` : "";
    const about = [`Table ${table.room}`, isWatching ? "you are watching" : "", watchers];
    $("table-about").textContent = about.filter(Boolean).join(" · ");
    $("table-state").textContent = describe(table);
    this.#renderPlayers();
    this.#renderPosition();
    this.#renderTalk();
    this.#offer(isWatching);
    document.title = `${table.isMyTurn ? "Your turn" : table.title} – tictac`;
  }

  #renderPlayers() {
    const { table } = this;
    const now = performance.now();
    const seats = table.players.map((one, seat) => {
      const mark = markOf(table.game, seat);
      const isWinner = Boolean(table.result) && table.result.winner === seat;
      const toMove = table.begun && !table.result && table.turn === seat;
      const kind = `${mark?.look ?? ""}${toMove ? " turn" : ""}${isWinner ? " winner" : ""}`;
      const left = table.secondsLeft(seat, now);
      const what = [
        seat === table.seat ? "you" : "",
        one?.away ? "cut off" : "",
        isWinner ? "winner" : toMove ? "to move" : "",
        left === null ? "" : clock(left),
      ];
      const words = what.filter(Boolean).join(", ") || (mark ? `plays ${mark.name}` : "");
      return player(kind, mark && drawLook(mark), one?.user, one ? words : "not here yet");
    });
    $("table-players").replaceChildren(...seats);
  }

  #renderPosition() {
    const { table } = this;
    const grid = readGrid(table);
    $("table-board").hidden = !grid;
    if (grid) this.#board.render(grid, table.can, table.last);
    $("table-keys").hidden = !grid || !table.isPlaying;
    write($("table-position"), grid ? "" : sayPosition(table.game, table.position));
    const last = table.last && !grid ? `Last move: ${sayMove(table.game, table.last)}` : "";
    write($("table-last"), last);
    this.#renderMoves(grid ? [] : table.can, table.isMyTurn && !grid);
  }

  /** What can be played where no board is: a button each, or a field. */
  #renderMoves(moves, isAsked) {
    const [place, form] = [$("table-moves"), $("table-move")];
    const hadFocus = [place, form].some((element) => element.contains(document.activeElement));
    const offered = moves.length <= BUTTONS ? moves : [];
    const buttons = offered.map((move) => {
      const button = make("button", { type: "button" }, sayMove(this.table.game, move));
      button.addEventListener("click", () => this.#play(move));
      return button;
    });
    place.replaceChildren(...buttons);
    place.hidden = !buttons.length;
    form.hidden = !isAsked || buttons.length > 0;
    write($("table-move-hint"), moves.length ? `For example ${moves.slice(0, 3).join(", ")}.` : "");
    if (hadFocus) (isAsked ? this : $("table-title")).focus();
  }

  #renderTalk() {
    const list = $("table-talk");
    const { talk } = this.table;
    list.replaceChildren(...talk.map(({ user, text }) => make("li", {}, make("b", {}, user), ` ${text}`)));
    list.hidden = !talk.length;
    list.scrollTop = list.scrollHeight;
    $("table-say").hidden = Boolean(this.table.result);
  }

  #offer(isWatching) {
    const { table } = this;
    const { isPlaying, isAway, offer, seat } = table;
    const can = isPlaying && !isAway;
    const isOffered = offer !== null && offer !== seat;
    $("table-back").hidden = !table.result;
    $("table-leave").hidden = Boolean(table.result) || isPlaying;
    $("table-leave").textContent = isWatching ? "Stop watching" : "Close the table";
    const hidden = {
      "table-accept": !can || !isOffered,
      "table-decline": !can || !isOffered,
      "table-offer": !can || offer !== null,
      "table-resign": !can,
    };
    const lost = Object.keys(hidden).some((id) => hidden[id] && $(id) === document.activeElement);
    for (const [id, isHidden] of Object.entries(hidden)) $(id).hidden = isHidden;
    if (lost) $("table-title").focus();
  }
}

function clock(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
