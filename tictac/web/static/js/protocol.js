// The rooms protocol (docs/rooms.md) in JavaScript: messages to values. No state, no socket.

import { Junk } from "./junk.js";

const ACK = /^(LOGIN|REGISTER|ROOMLIST|CREATE|JOIN):ACKSTATUS:(\d)(?::(.*))?$/;
const BOARD = /^[012]{9}$/;

// By verb: how many fields there are, and what they say, or false.
const MESSAGES = {
  BADAUTH: [0, () => ({ kind: "badauth" })],
  NOROOM: [0, () => ({ kind: "noroom" })],
  BEGIN: [2, (...players) => ({ kind: "begin", players })],
  INPROGRESS: [2, (turn, other) => ({ kind: "inprogress", turn, other })],
  BOARDSTATUS: [1, (board) => BOARD.test(board) && { kind: "board", board }],
  GAMEEND: [3, end],
};

/** One message of the server as a value whose `kind` says what it is. Throws Junk. */
export function parse(message) {
  const ack = ACK.exec(message);
  if (ack) {
    return { kind: "ack", verb: ack[1], status: Number(ack[2]), rooms: names(ack[3]) };
  }
  const [verb, ...fields] = String(message).split(":");
  const [size, read] = (Object.hasOwn(MESSAGES, verb) && MESSAGES[verb]) || [];
  // A draw and a room that was closed have no winner.
  const fits = fields.length === size || (read === end && fields.length === 2);
  const found = fits && read(...fields);
  if (!found) throw new Junk(String(message));
  return found;
}

function end(board, how, winner = null) {
  const fits = BOARD.test(board) && /^[012]$/.test(how) && (how === "1") === (winner === null);
  return fits && { kind: "end", board, how: Number(how), winner };
}

function names(list) {
  return list ? list.split(",") : [];
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** What is wrong with a user name, as a sentence, or "". */
export function faultOfUser(name) {
  if (!name) return "Please enter a name.";
  if (!PRINTABLE.test(name)) return "A name has letters from a to z, digits and signs only.";
  if (/[:,]/.test(name)) return "A name has no colon and no comma.";
  if (name !== name.trim()) return "A name has no blank at its ends.";
  return name.length > 20 ? "A name has 20 characters at most." : "";
}

/** What is wrong with a password, as a sentence, or "". */
export function faultOfPassword(password) {
  if (!password) return "Please enter a password.";
  if (!PRINTABLE.test(password)) return "A password has letters from a to z, digits and signs only.";
  if (password.includes(":")) return "A password has no colon.";
  return password.length > 72 ? "A password has 72 characters at most." : "";
}

/** What is wrong with the name of a room, as a sentence, or "". */
export function faultOfRoom(name) {
  if (!name) return "Please name your room.";
  if (!/^[A-Za-z0-9_ -]*$/.test(name)) {
    return "The name of a room has letters, digits, dashes, blanks and underscores only.";
  }
  return name.length > 20 ? "The name of a room has 20 characters at most." : "";
}
