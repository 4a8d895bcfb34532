// Nim against the server's player, which plays perfectly.

import { $, announce, make, markField } from "../dom.js";
import { Solo } from "../solo.js";
import { Heaps } from "./heaps.js";
import { describe, Match } from "./match.js";

/** What is to be taken is in the form, however it was chosen. */
export class Nim extends Solo {
  #heaps = new Heaps((heap, amount) => this.#choose(heap, amount));

  constructor(leave) {
    super("nim", "/ws/nim", leave);
    $("nim-heaps").append(this.#heaps.element);
    $("nim-take").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take();
    });
    for (const id of ["nim-heap", "nim-amount"]) {
      $(id).addEventListener("input", () => this.#changed());
    }
  }

  newMatch() {
    return new Match();
  }

  describe() {
    return describe(this.match);
  }

  render() {
    const { heaps = [], last = null, isMyTurn = false, result } = this.match ?? {};
    const playable = isMyTurn && !result;
    this.#offer(heaps);
    const hadFocus = this.#heaps.element.contains(document.activeElement);
    this.#heaps.render({ heaps, chosen: this.#chosen(heaps), last, playable });
    if (hadFocus && !this.#heaps.element.contains(document.activeElement)) this.focus();
    $("nim-button").setAttribute("aria-disabled", String(!playable));
    this.#name();
  }

  focus() {
    if (!this.#heaps.focus()) $("nim-amount").focus();
  }

  /** The form's select has what isn't empty; what was chosen stays, if it can. */
  #offer(heaps) {
    const select = $("nim-heap");
    if (select.dataset.heaps === heaps.join()) return;
    select.dataset.heaps = heaps.join();
    const before = select.value;
    const left = [...heaps.entries()].filter(([, left]) => left);
    const options = left.map(([heap, left]) => make("option", { value: heap }, `${heap + 1} (has ${left})`));
    select.replaceChildren(...options);
    select.value = left.some(([heap]) => String(heap) === before) ? before : (left[0]?.[0] ?? "");
  }

  #chosen(heaps) {
    const [heap, amount] = [Number($("nim-heap").value), Number($("nim-amount").value)];
    return amount >= 1 && amount <= heaps[heap] ? { heap, amount } : null;
  }

  #choose(heap, amount) {
    const before = this.#chosen(this.match.heaps);
    if (before?.heap === heap && before.amount === amount) return this.#take();
    $("nim-heap").value = heap;
    $("nim-amount").value = amount;
    this.#changed();
    announce(`${$("nim-button").textContent}?`);
  }

  #changed() {
    markField($("nim-amount"), "");
    this.render();
  }

  #take() {
    const { match } = this;
    if (!match?.isMyTurn || match.result) return;
    const [heap, amount] = [Number($("nim-heap").value), Number($("nim-amount").value)];
    const fault = match.faultOf(heap, amount);
    markField($("nim-amount"), fault);
    if (fault) return $("nim-amount").focus();
    $("nim-amount").value = "";
    this.send(match.take(heap, amount));
  }

  #name() {
    const amount = $("nim-amount").value;
    const heap = $("nim-heap").selectedOptions[0];
    const isNamed = amount && heap;
    $("nim-button").textContent = isNamed ? `Take ${amount} from heap ${Number(heap.value) + 1}` : "Take";
  }
}
