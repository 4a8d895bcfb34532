import { make, say } from "./page.js";

export default class Crosses {
  element = make("div", { class: "crosses", role: "group", "aria-label": say("row") });
  #choose;

  constructor(choose) {
    this.#choose = choose;
  }

  render({ position, can }) {
    const [cells] = position.split(" ");
    this.element.replaceChildren(...[...cells].map((mark, at) => this.#makeCell(mark, String(at + 1), can)));
  }

  focus() {
    this.element.querySelector("[aria-disabled=false]")?.focus();
  }

  #makeCell(mark, move, can) {
    const label = say(mark === "X" ? "marked" : "free", { number: move });
    const cell = make("button", { type: "button", "aria-label": label, "aria-disabled": String(!can.includes(move)) });
    cell.textContent = mark;
    cell.addEventListener("click", () => can.includes(move) && this.#choose(move));
    return cell;
  }
}
