// A game that the page can't draw: the position as text, and its moves as buttons or by a field.

import { make, write } from "./dom.js";
import { sayMove } from "./games.js";
import { say } from "./texts.js";

/** More moves than that are typed into a field, and not offered as buttons. */
const BUTTONS = 40;

/** `choose(move)` is called for a move that may be made. */
export class Plain {
  element;
  keys = "";
  #choose;
  #position = make("pre", { class: "card position" });
  #moves = make("div", { class: "moves", role: "group", "aria-label": say("plain.moves") });
  #hint = make("p", { class: "hint", id: "move-hint" });
  #text = make("input", {
    id: "move-text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
    maxLength: 200,
    "aria-describedby": "move-hint",
  });
  #form;

  /** @param {(move: string) => void} choose */
  constructor(choose) {
    this.#choose = choose;
    const row = make("div", { class: "row" }, this.#text, make("button", { class: "main" }, say("plain.play")));
    const label = make("label", { htmlFor: "move-text" }, say("plain.move"));
    this.#form = make("form", { class: "field", noValidate: true }, label, row, this.#hint);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const move = this.#text.value.trim();
      if (move) choose(move);
      this.#text.value = "";
    });
    this.element = make("div", { class: "plain" }, this.#position, this.#moves, this.#form);
  }

  /**
   * Show how it stands.
   * @param {Standing} table
   */
  render({ game, position, picture, can, isMyTurn }) {
    const hadFocus = this.element.contains(document.activeElement);
    write(this.#position, picture?.join("\n") ?? position);
    const buttons = can.length <= BUTTONS ? can.map((move) => this.#button(game, move)) : [];
    this.#moves.replaceChildren(...buttons);
    this.#moves.hidden = !buttons.length;
    this.#form.hidden = !isMyTurn || buttons.length > 0;
    write(this.#hint, can.length ? say("plain.example", { moves: can.slice(0, 3).join(", ") }) : "");
    if (hadFocus && isMyTurn) this.focus();
  }

  /** Put the focus where a move is made. */
  focus() {
    (this.#moves.querySelector("button") ?? this.#text).focus();
  }

  /**
   * @param {string} game
   * @param {string} move
   */
  #button(game, move) {
    const button = make("button", { type: "button" }, sayMove(game, move));
    button.addEventListener("click", () => this.#choose(move));
    return button;
  }
}
