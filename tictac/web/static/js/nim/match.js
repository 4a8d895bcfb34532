// What is known of a match of Nim, from the server's messages alone (docs/nim.md). The visitor
// begins. No document, no socket.

import { Junk } from "../junk.js";
import { move, parse, play } from "./wire.js";

const [FEWEST, MOST] = [3, 10];

/**
 * `heaps` are what is left of each, also where that is nothing: on the wire those aren't
 * counted any longer. `last` is what was taken last: `amount` from `heap`, and whether it was
 * `mine`. For the rest see solo.js.
 */
export class Match {
  heaps = [];
  last = null;
  moves = 0;
  hasBegun = false;
  isMyTurn = false;
  result = null;

  begin() {
    return play();
  }

  hear(message) {
    const heard = parse(message);
    if (heard.kind === "win") this.result = { kind: "won" };
    else if (this.isMyTurn) throw new Junk("a message out of turn");
    else if (heard.kind === "turn") this.#turn(heard.numbers);
    else this.#lose();
    return [];
  }

  /** What is wrong with taking so many from a heap, as a sentence, or "". */
  faultOf(heap, amount) {
    const left = this.heaps[heap];
    if (!left) return "Please choose a heap that isn't empty.";
    if (Number.isInteger(amount) && 1 <= amount && amount <= left) return "";
    return `Heap ${heap + 1} has ${left}: take from 1 to ${left}.`;
  }

  /** Take what can be taken, in one's turn; what is to be sent. */
  take(heap, amount) {
    const index = this.heaps.slice(0, heap).filter(Boolean).length;
    this.#take(heap, amount, true);
    this.moves++;
    this.isMyTurn = false;
    return move(index, amount);
  }

  lose(reason) {
    this.result = reason ? { kind: "closed", why: reason } : { kind: "gone" };
  }

  #turn(numbers) {
    if (this.hasBegun) this.#follow(numbers);
    else if (numbers.length < FEWEST || numbers.length > MOST) throw new Junk(numbers.join());
    else this.heaps = numbers;
    this.hasBegun = this.isMyTurn = true;
  }

  /** Find out what the server has taken. */
  #follow(numbers) {
    const found = this.heaps.findIndex((left, heap) => this.#makes(numbers, heap, left));
    if (found < 0) throw new Junk(numbers.join());
    this.#take(found, sum(this.heaps) - sum(numbers), false);
  }

  /** Whether taking from `heap` alone leaves `numbers`. */
  #makes(numbers, heap, left) {
    const taken = sum(this.heaps) - sum(numbers);
    if (taken < 1 || taken > left) return false;
    const after = this.heaps.with(heap, left - taken).filter(Boolean);
    return after.join() === numbers.join();
  }

  #lose() {
    const rest = this.heaps.filter(Boolean);
    if (rest.length !== 1) throw new Junk("that you have lost");
    this.#take(this.heaps.indexOf(rest[0]), rest[0], false);
    this.result = { kind: "lost" };
  }

  #take(heap, amount, mine) {
    this.heaps = this.heaps.with(heap, this.heaps[heap] - amount);
    this.last = { heap, amount, mine };
  }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The state of a match as a sentence. */
export function describe({ last, result, heaps, isMyTurn }) {
  const [who, have] = last?.mine ? ["You", "have"] : ["The computer", "has"];
  const told = last ? `${who} ${have} taken ${last.amount} from heap ${last.heap + 1}. ` : "";
  if (result?.kind === "lost") return `${told}That was the last: the computer has won.`;
  if (result?.kind === "won" && sum(heaps)) return "The computer has given up: you have won.";
  if (result?.kind === "won") return `${told}That was the last: you have won.`;
  return isMyTurn ? `${told}It is your turn.` : "It is the computer's turn.";
}
