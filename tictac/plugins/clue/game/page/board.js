// Clue at the table: the bar with what to do now, the board, what one is asked for, the own cards, the notebook, and what
// has happened.

import { Bar } from "./bar.js";
import { drawCard } from "./cards.js";
import { readCase, readPosition } from "./case.js";
import { drawSmall, Mansion, nameCell } from "./mansion.js";
import { Notes } from "./notes.js";
import { announce, choose as keep, chosen, make, parts, say, write } from "./page.js";

const SEATS = 6;

/** Moves that are looked at to say what the last one did: at least two rounds. */
const RECENT = 60;

/**
 * @typedef {import("./case.js").Position} Position
 * @typedef {import("./case.js").Told} Told
 * @typedef {import("./case.js").Suggested} Suggested
 * @typedef {Pick<Standing, "seat" | "players" | "record" | "position" | "names" | "robots">} Heard what is needed to say what happened
 */
/** `choose(move)` is called for a move that may be made. */
export default class Clue {
  static marks = Array.from({ length: SEATS }, (_, seat) => ({ name: cardName(seat), look: `token-${seat}` }));
  static hasSecrets = true;
  static hasHistory = true;
  /** How to play, in three pictures and three tips. */
  static guide = {
    steps: [
      "17,24/24,17/15,0/10,0/0,6/0,19 0 turn 0 - - - -",
      "17,22/20,17/B,V/10,0/0,6/0,19 2 suggest 8 - - - -",
      "U,V/D,V/U,V/U,S/U,V/B,V 0 turn 0 - - - -",
    ].map((position, at) => ({ position, title: say(`guide.steps.${at + 1}.title`), text: say(`guide.steps.${at + 1}.text`) })),
    tips: [1, 2, 3].map((at) => say(`guide.tips.${at}`)),
  };
  element = make("div", { class: "clue" });
  #bar = new Bar();
  /** What stands above the board, and stays in sight. */
  bar = this.#bar.element;
  keys = say("keys");
  tellsMoves = true;
  #choose;
  /**
   * @type {Mansion}
   * @ts-expect-error none before the first position */
  #mansion = null;
  /** @type {string | null} */
  #map = null;
  /** @type {Panel[]} */
  panels;
  #ask = make("div", { class: "ask" });
  #board = make("div", { class: "board" });
  #hand = make("div", { class: "hand" });
  #book = make("div", { class: "clue-panel notebook" });
  #news = make("div", { class: "clue-panel news" });
  #toggle = make("button", { type: "button", class: "quiet" });
  /**
   * @type {Standing}
   * @ts-expect-error none before render() */
  #table = null;
  /**
   * @type {Position}
   * @ts-expect-error none before render() */
  #now = null;
  /** @type {Told[]} */
  #told = [];
  /** @type {Notes | null} */
  #notes = null;
  #asked = "";
  #known = "";
  /** @type {string | null} */
  #planned = null; // what was chosen before the server asks for it
  #isAccusing = false;

  /**
   * A move in words.
   * @param {string} move
   * @param {string | null} [before]
   */
  static say(move, before) {
    const [verb, ...names] = move.split(":")[0].split(" ");
    const isNamed = ["suggest", "accuse", "show"].includes(verb) || (verb === "go" && names.length === 1);
    const cards = names.map((name) => (isNamed ? cardName(name) : name)).join(", ");
    const isCell = verb === "go" && names.length > 1;
    const place = isCell && nameCell((before && readPosition(before).map) || parts.map, ...names.map(Number));
    return say(`moves.${isNamed && !cards ? "hidden." : ""}${verb}`, { cards: place || cards });
  }

  /**
   * What a screen reader says of the last move, in sentences.
   * @param {Heard} table
   */
  static tell(table) {
    const { seat, players, record } = table;
    const now = readPosition(table.position);
    const [, , by, move] = record.at(-1) ?? [];
    if (by === seat && move.startsWith("roll ")) return say("move", { steps: move.split(" ")[1] });
    const recent = record.slice(-RECENT);
    const [before, after] = [recent.slice(0, -1), recent].map((each) =>
      readCase(each, now, players.length === 1).flatMap((told) => hear(table, told)),
    );
    const next = by === seat && now.asked === "suggest" ? [say("bar.suggest")] : [];
    return [...after.filter((words, at) => words !== before[at]), ...next].join(" ");
  }

  /**
   * A position as a small picture: where the tokens are.
   * @param {string} position
   */
  static mini(position) {
    const { places, map } = readPosition(position);
    return drawSmall(map ?? parts.map, places);
  }

  /**
   * The seats without turns.
   * @param {string} position
   */
  static out(position) {
    return readPosition(position).out;
  }

  /** @param {(move: string) => void} choose */
  constructor(choose) {
    this.#choose = choose;
    this.#toggle.addEventListener("click", () => {
      keep("notebook", !this.#hasNotebook);
      this.#asked = "";
      this.render(this.#table);
      announce(say(this.#hasNotebook ? "notebookOn" : "notebookOff"));
    });
    this.element.append(this.#board);
    this.panels = [
      { name: "asked", title: say("asked"), element: make("div", { class: "clue-panel" }, this.#ask, this.#hand) },
      { name: "notebook", title: say("notebook"), element: this.#book },
      { name: "history", title: say("history"), element: this.#news },
    ];
  }

  /**
   * Show how it stands.
   * @param {Standing} table
   */
  render(table) {
    const now = readPosition(table.position);
    const focused = document.activeElement;
    [this.#table, this.#now] = [table, now];
    const isMini = table.players.length === 1;
    const title = say(table.seat === null ? "turnOfOthers" : "asked");
    if (this.panels[0].title !== title) this.panels = [{ ...this.panels[0], title }, ...this.panels.slice(1)];
    const known = JSON.stringify([table.record.length, table.position, this.#hasNotebook]);
    if (this.#known !== known) {
      this.#known = known;
      this.#told = readCase(table.record, now, isMini);
      this.#notes = this.#hasNotebook && this.#mayNote ? this.#deduce(isMini) : null;
    }
    this.#drawBoard(now);
    const isGoing = now.asked === "move" && !this.#planned;
    this.#mansion.render(now, isGoing && table.can.length > 1 ? table.can : []);
    this.#renderAsk();
    this.#bar.render(now, ...this.#whatNow());
    this.#renderHand();
    this.#renderBook(isMini);
    this.#renderNews();
    /** @ts-expect-error at least the page has the focus */
    if (!focused.isConnected) this.focus(); // what had it is gone
    this.#goOn();
  }

  /** Put the focus on what is asked for. */
  focus() {
    if (!this.#mansion.focus()) this.#bar.focus() || this.#goAsk();
  }

  get #hasNotebook() {
    return chosen("notebook", true);
  }

  /** Whether there is anything to deduce from: who watches sees no cards. */
  get #mayNote() {
    return this.#table.seat !== null && (this.#now.hand.length > 0 || this.#table.players.length === 1);
  }

  /**
   * Deduce from all that was told; only for who may take notes.
   * @param {boolean} isMini
   */
  #deduce(isMini) {
    /** @ts-expect-error they have a seat */
    const notes = new Notes(this.#table.seat, isMini ? [] : this.#now.hand, parts.cards);
    for (const each of this.#told) notes.hear(each);
    return notes;
  }

  /**
   * The usual map, or the one that the position brings along.
   * @param {Position} now
   */
  #drawBoard({ map }) {
    const rows = map ?? parts.map;
    if (this.#map === rows.join()) return;
    this.#map = rows.join();
    this.#mansion = new Mansion(rows, parts.passages, (move) => this.#choose(move));
    this.#board.replaceChildren(this.#mansion.element);
  }

  /** Answer what was decided already, and what leaves no choice. */
  #goOn() {
    const { can } = this.#table;
    if (!can.length) return;
    const isClear = can.length === 1 && ["move", "show"].includes(this.#now.asked);
    /** @ts-expect-error it may be asked whether null is a move */
    const move = can.includes(this.#planned) ? this.#planned : isClear ? can[0] : null;
    this.#planned = null;
    if (move) queueMicrotask(() => this.#choose(move));
  }

  /**
   * Make a move now, and another when it is asked for.
   * @param {string} move
   * @param {string} next
   */
  #plan(move, next) {
    this.#planned = next;
    this.#choose(move);
  }

  /**
   * What the bar says: a title, and more; and what its button says, and does, if there is one.
   * @returns {[title: string, more: string, words?: string, work?: () => void]}
   */
  #whatNow() {
    const { result, isMyTurn, begun, turn, seat } = this.#table;
    const { asked, envelope, steps } = this.#now;
    const room = roomName(this.#place);
    const ask = () => this.#goAsk();
    if (result) return [say("bar.over"), envelope.length ? envelope.map(cardName).join(", ") : say("closed")];
    if (!begun) return [say("bar.waiting"), say("waiting")];
    if (turn === seat && !isMyTurn) return [say("bar.yours"), ""]; // a move is on its way, or nothing can be sent
    const fallen = this.#fallen();
    const isOut = this.#now.out.includes(/** @type {number} */ (seat));
    if (!isMyTurn) {
      const title = fallen || say(isOut ? "bar.out" : "bar.turn", { name: this.#userAt(turn) });
      return [title, this.#awaited(), ...this.#end(isOut)];
    }
    if (asked === "accuse" || this.#isAccusing) return [say("accusing"), say("bar.wrong"), say("accuseNow"), ask];
    if (asked === "suggest") return [room ? say("bar.here", { room }) : say("suggesting"), say("bar.suggest"), say("suggestNow"), ask];
    if (asked === "show") return [say("bar.show", { name: this.#name(this.#mover) }), say("bar.mine"), say("bar.card"), ask];
    if (asked === "move") return [say("bar.rolled", { steps }), say("bar.go"), say("bar.place"), () => this.#mansion.focus()];
    const last = this.#told.slice(-1).flatMap((each) => tell(this.#table, each));
    return [say("bar.yours"), fallen || (last.at(-1) ?? ""), say("roll"), () => this.#choose("roll")];
  }

  /**
   * Who is out, and has only computers to watch, can end the match: nobody is left then (tictac/engines/computer.py).
   * @param {boolean} isOut
   * @returns {[] | [words: string, work: () => void]}
   */
  #end(isOut) {
    const { robots, seat } = this.#table;
    const isAlone = robots.every((isComputer, at) => at === seat || isComputer);
    return isOut && isAlone ? [say("bar.open"), () => document.getElementById("resign")?.click()] : [];
  }

  /** Who has accused wrongly in the last round, as a sentence; "": nobody. */
  #fallen() {
    const since = this.#told.findLastIndex(({ seat, does }) => seat === this.#table.turn && does !== "accuse");
    const last = this.#told.slice(since + 1).findLast(({ does, isRight }) => does === "accuse" && !isRight);
    return last ? tell(this.#table, last)[0] : "";
  }

  /** Go to what is asked for in the panel, or make the move that is chosen there. */
  #goAsk() {
    const form = this.#ask.querySelector("form");
    if (form && !form.querySelector("fieldset:not(:has(:checked))")) return form.requestSubmit();
    const pane = this.#ask.closest("[role=tabpanel]");
    /** @ts-expect-error a pane names its tab */
    if (pane?.hidden) document.getElementById(pane.getAttribute("aria-labelledby")).click();
    this.#ask.querySelector("fieldset:not(:has(:checked)) input:not([tabindex='-1']), .moves button")?.focus();
  }

  // What is asked

  #renderAsk() {
    const { isMyTurn, record, result, pending, begun } = this.#table;
    if (!isMyTurn) this.#isAccusing = false;
    const asked = JSON.stringify([isMyTurn, result, pending, begun, this.#now, this.#isAccusing, isMyTurn && record.length]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#ask.replaceChildren(...this.#questions());
  }

  #questions() {
    const { result, isMyTurn, begun } = this.#table;
    const { asked, envelope } = this.#now;
    if (result) return envelope.length ? [heading("envelope"), this.#cards(envelope)] : [make("p", {}, say("closed"))];
    if (!isMyTurn) return [make("p", {}, begun ? this.#awaited() : say("waiting"))];
    if (asked === "accuse" || this.#isAccusing) return [this.#form(true)];
    if (asked === "suggest") return [this.#form(false)];
    if (asked === "show") return [heading("show", { name: this.#name(this.#mover) }), this.#choices()];
    if (asked === "move") return [heading("move", { steps: this.#now.steps })];
    return [heading("turn"), this.#turn()];
  }

  /** Whose answer is awaited, and to what. */
  #awaited() {
    const { turn } = this.#table;
    const { asked, steps } = this.#now;
    const room = roomName(this.#place);
    const key = asked === "move" && !steps ? "stays" : asked;
    return say(`awaited.${key}`, { name: this.#name(turn), other: this.#name(this.#mover), steps, room });
  }

  /** The seat whose turn goes on, perhaps while another is asked. */
  get #mover() {
    return this.#table.players.length === 1 ? 0 : this.#now.token;
  }

  get #place() {
    return this.#now.places[this.#now.token];
  }

  #turn() {
    const { token, pulled } = this.#now;
    const place = this.#place;
    const here = `go ${place.replace(",", " ")}`;
    const passage = parts.passages[place];
    const buttons = [];
    const stay = say(pulled[token] ? "staySuggesting" : "stay");
    buttons.push(button(stay, () => this.#plan("no-roll", here)));
    if (passage) {
      const words = say("takePassage", { room: say(`cards.${passage}`) });
      buttons.push(button(words, () => this.#plan("no-roll", `go ${passage}`)));
    }
    buttons.push(button(say("accuse"), () => this.#accuse(true)));
    return make("div", { class: "moves" }, ...buttons);
  }

  /** @param {boolean} isAccusing or no longer */
  #accuse(isAccusing) {
    this.#isAccusing = isAccusing;
    this.render(this.#table);
    if (isAccusing) this.#goAsk();
    else this.focus();
  }

  #choices() {
    const buttons = this.#table.can.map((move) => button(drawCard(move.split(" ")[1]), () => this.#choose(move), "pick"));
    return make("div", { class: "moves" }, ...buttons);
  }

  /**
   * Three cards to accuse, or two and the room where one is to suggest.
   * @param {boolean} isAccusing
   */
  #form(isAccusing) {
    const rooms = isAccusing ? parts.cards[2] : [this.#place];
    /** @type {string[][]} */
    const kinds = [...parts.cards.slice(0, 2), rooms];
    const left = new Set(this.#notes?.left() ?? kinds.flat());
    const groups = kinds.map((names, kind) => cardChoice(kind, names, left, isAccusing));
    const hint = make("p", { class: "hint", hidden: true });
    const send = make("button", { class: `main big block ${isAccusing ? "danger" : ""}` }, say(isAccusing ? "accuseNow" : "suggestNow"));
    const isForced = this.#now.asked === "accuse";
    const cancel = button(say("cancel"), () => this.#accuse(false), "quiet");
    const buttons = make("div", { class: "choices" }, send, ...(isAccusing && !isForced ? [cancel] : []));
    const form = make("form", { noValidate: true }, heading(isAccusing ? "accusing" : "suggesting"), ...groups, hint, buttons);
    /**
     * @returns {string[]}
     * @ts-expect-error all of them are inputs */
    const named = () => [...form.querySelectorAll("input:checked")].map(({ value }) => value);
    form.addEventListener("input", () => {
      const wrong = isAccusing ? named().filter((name) => !left.has(name)) : [];
      write(hint, wrong.length ? say("ruledOut", { cards: wrong.map(cardName).join(", ") }) : "");
      const [player, weapon, room] = named().map(cardName);
      const all = { player, weapon, room: room && say("room", { room }) };
      if (room) send.textContent = say(isAccusing ? "accuseThese" : "suggestThese", all);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const names = named();
      if (names.length < 3) return write(hint, say("chooseOne"));
      const move = `${isAccusing ? "accuse" : "suggest"} ${names.join(" ")}`;
      if (isAccusing && !isForced) this.#plan("accuse", move);
      else this.#choose(move);
    });
    return form;
  }

  // What one knows

  #renderHand() {
    const { hand } = this.#now;
    const { seat } = this.#table;
    /**
     * @type {{ card: string, shower: number }[]}
     * @ts-expect-error the filter leaves such ones */
    const seen = this.#told.filter(({ does, seat: by, card, shower }) => does === "suggest" && by === seat && card && shower !== null);
    const lines = new Map(seen.map(({ card, shower }) => [card, shower]));
    const shown = [...lines].map(([card, by]) => make("li", {}, drawCard(card), ` ${say("by", { name: this.#name(by) })}`));
    // It is drawn anew below what is asked, and so it doesn't jump when that becomes a form.
    const before = this.#hand;
    this.#hand = make("div", { class: "hand", hidden: !hand.length }, heading("yourCards"), this.#cards(hand));
    before.replaceWith(this.#hand);
    if (shown.length) this.#hand.append(heading("shown"), make("ul", { class: "shown" }, ...shown));
  }

  /** @param {string[]} names */
  #cards(names) {
    return make("ul", { class: "cards" }, ...names.map((name) => make("li", {}, drawCard(name))));
  }

  /** @param {boolean} isMini */
  #renderBook(isMini) {
    this.#book.hidden = !this.#mayNote;
    this.#toggle.textContent = say("notebook");
    this.#toggle.setAttribute("aria-pressed", String(this.#hasNotebook));
    if (!this.#toggle.isConnected) this.#book.prepend(this.#toggle);
    this.#book.querySelector("table")?.remove();
    this.#book.querySelector("p")?.remove();
    if (!this.#notes) return;
    const seats = Array.from({ length: isMini ? 1 : SEATS }, (_, seat) => seat);
    const left = new Set(this.#notes.left());
    const heads = isMini ? [] : seats.map((seat) => this.#head(seat));
    const head = make("thead", {}, make("tr", {}, make("td"), ...heads));
    /** @ts-expect-error texts: the names of a kind */
    const kinds = parts.cards.map((names) => {
      /** @ts-expect-error a text */
      const hidden = names.filter((name) => left.has(name)).length === 1;
      /** @ts-expect-error a text */
      return make("tbody", {}, ...names.map((name) => this.#line(name, seats, hidden && left.has(name))));
    });
    const caption = make("caption", { class: "visually-hidden" }, say("notebook"));
    const legend = make("p", { class: "hint" }, say(isMini ? "legendMini" : "legend"));
    this.#book.append(make("table", {}, caption, ...(isMini ? [] : [head]), ...kinds), legend);
  }

  /** @param {number} seat */
  #head(seat) {
    const isOut = this.#now.out.includes(seat);
    const name = make("abbr", { title: this.#userAt(seat) }, say(`short.${seat}`));
    return make("th", { scope: "col", class: `token-${seat}${isOut ? " out" : ""}` }, name);
  }

  /**
   * What is known of a card.
   * @param {string} name
   * @param {number[]} seats
   * @param {boolean} isHidden whether it is in the envelope
   */
  #line(name, seats, isHidden) {
    const cells = seats.map((seat) => {
      /** @ts-expect-error there are notes */
      const mark = this.#notes.mark(seat, name);
      return make("td", { class: mark }, mark && say(`marks.${mark}`));
    });
    const title = make("th", { scope: "row" }, cardName(name), isHidden ? ` ${say("marks.hidden")}` : "");
    return make("tr", { class: isHidden ? "hidden-card" : "" }, title, ...cells);
  }

  // What has happened

  #renderNews() {
    /** @type {[seat: number, words: string][]} */
    const lines = this.#told.flatMap((each) => tell(this.#table, each).map((words) => [each.seat, words]));
    const items = lines.toReversed().map(([seat, words]) => make("li", { class: `token-${this.#tokenOf(seat)}` }, words));
    const list = make("ol", { tabIndex: 0, "aria-label": say("news") }, ...items);
    this.#news.hidden = !items.length;
    this.#news.replaceChildren(heading("news"), list);
  }

  /** @param {number} seat */
  #tokenOf(seat) {
    return this.#table.players.length === 1 ? this.#now.token : seat;
  }

  /** @param {number | null} seat */
  #name(seat) {
    return nameAt(this.#table, seat);
  }

  /** @param {number | null} seat */
  #userAt(seat) {
    return userAt(this.#table, seat);
  }
}

/**
 * What has happened, in sentences.
 * @param {Heard} table
 * @param {Told} each
 * @returns {string[]}
 */
function tell(table, each) {
  const { seat, does, steps, place, stays, cards, isRight } = each;
  const name = nameAt(table, seat, true);
  if (does === "drop") return [say("told.drop", { name })];
  if (does === "go") {
    const way = stays ? "stays" : steps ? "rolls" : "passage";
    return [say(`told.${way}`, { name, steps, place: roomName(place) || say("hallway") })];
  }
  const named = cards.map(cardName).join(", ");
  if (does === "accuse") {
    const how = isRight ? "right" : seat === table.seat ? "wrongMine" : cards.length ? "wrong" : "accuses";
    const out = isRight || table.players.length === 1 ? "" : say(seat === table.seat ? "told.outMine" : "told.out", { name });
    return [[say(`told.${how}`, { name, cards: named }), out].filter(Boolean).join(" ")];
  }
  return [say("told.suggests", { name, cards: named }), ...tellAnswer(table, each)];
}

/**
 * What of it a screen reader says. The ways of others stand in the history alone; whom others ask for a card is known from
 * the answer; and computers resign together.
 * @param {Heard} table
 * @param {Told} each
 */
function hear(table, each) {
  const { seat, does, isAsked, shower } = each;
  if (does === "go") return seat === table.seat ? tell(table, each) : [];
  if (does === "drop" && table.robots[seat]) return [];
  return isAsked && shower !== table.seat ? tell(table, each).slice(0, 1) : tell(table, each);
}

/**
 * What came of a suggestion.
 * @param {Heard} table
 * @param {Suggested} told
 */
function tellAnswer(table, { seat, shower, isAsked, card }) {
  if (table.players.length === 1) return [card ? say("told.isWrong", { card: cardName(card) }) : say("told.allRight")];
  if (shower === null) return [say("told.nobody")];
  const values = { name: nameAt(table, shower, true), other: nameAt(table, seat), card: card && cardName(card) };
  return [say(`told.${isAsked ? "mustShow" : card ? "showsCard" : "shows"}`, values)];
}

/**
 * What a seat's player is called in a sentence, at its beginning or within.
 * @param {Heard} table
 * @param {number | null} seat
 */
function nameAt(table, seat, begins = false) {
  if (seat !== table.seat) return userAt(table, seat);
  return say(begins ? "youFirst" : "you");
}

/**
 * @param {Heard} table
 * @param {number | null} seat
 * @returns {string}
 */
function userAt({ names }, seat) {
  /** @ts-expect-error null has no name */
  return names[seat] ?? "";
}

/**
 * A room as it stands in a sentence; "" for a cell.
 * @param {string} place
 */
function roomName(place) {
  return place.includes(",") ? "" : say("room", { room: say(`cards.${place}`) });
}

/**
 * @param {string} key
 * @param {Values} [values]
 */
function heading(key, values) {
  return make("h2", {}, say(key, values));
}

/**
 * @param {Child} words
 * @param {() => void} work
 */
function button(words, work, kind = "") {
  const made = make("button", { type: "button", class: kind }, words);
  made.addEventListener("click", work);
  return made;
}

/** @param {string | number} name that of a card in the protocol */
function cardName(name) {
  return say(`cards.${name}`);
}

/**
 * One of several cards to choose; those that aren't `left` can't be the ones. Who accuses by the keyboard begins at the
 * first that is left, and arrow keys lead to all.
 * @param {number} kind
 * @param {string[]} names
 * @param {Set<string>} left
 * @param {boolean} isAccusing
 */
function cardChoice(kind, names, left, isAccusing) {
  const choices = names.map((name) => {
    const input = make("input", { type: "radio", name: `clue-${kind}`, value: name, checked: names.length === 1 });
    if (isAccusing && !left.has(name)) input.tabIndex = -1;
    return make("label", { class: left.has(name) ? "" : "ruled-out" }, input, drawCard(name, left.has(name) ? "" : say("isRuledOut")));
  });
  const group = make("fieldset", {}, make("legend", {}, say(`kinds.${kind}`)), ...choices);
  // The one that is chosen is where one comes back to.
  group.addEventListener("input", () => group.querySelectorAll("input").forEach((input) => input.removeAttribute("tabindex")));
  return group;
}
