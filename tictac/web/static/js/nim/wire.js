// Nim's messages (docs/nim.md) in JavaScript: bytes to values and back. No state, no socket.

import { Junk } from "../junk.js";

const [PLAY, TURN, MOVE, WIN, LOSE] = [1, 2, 3, 4, 5];
const ALONE = { [WIN]: "win", [LOSE]: "lose" };

export const play = () => Uint8Array.of(PLAY);

/** Take `amount` from the number at `index`, counted from 0. */
export function move(index, amount) {
  const view = new DataView(new ArrayBuffer(6));
  view.setUint8(0, MOVE);
  view.setUint8(1, index);
  view.setUint32(2, amount);
  return new Uint8Array(view.buffer);
}

/** A frame of the server: `kind` is turn (with `numbers`), win or lose. Throws Junk. */
export function parse(message) {
  if (!(message instanceof ArrayBuffer)) throw new Junk(String(message));
  const view = new DataView(message);
  const type = view.byteLength ? view.getUint8(0) : 0;
  if (view.byteLength === 1 && ALONE[type]) return { kind: ALONE[type] };
  const size = type === TURN && view.byteLength > 1 ? view.getUint8(1) : 0;
  if (!size || view.byteLength !== 2 + 4 * size) throw new Junk(hex(message));
  const numbers = Array.from({ length: size }, (_, at) => view.getUint32(2 + 4 * at));
  if (numbers.includes(0)) throw new Junk(hex(message));
  return { kind: "turn", numbers };
}

function hex(message) {
  const bytes = [...new Uint8Array(message.slice(0, 20))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ") || "nothing";
}
