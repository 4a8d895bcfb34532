// The rooms protocol (docs/rooms.md) in JavaScript: messages to values. No state, no socket.

const ACK = /^(LOGIN|REGISTER|ROOMLIST|CREATE|JOIN):ACKSTATUS:(\d)(?::(.*))?$/;

/** One message of the server as a value whose `kind` says what it is; null if it is none. */
export function parse(message) {
  const ack = ACK.exec(message);
  if (ack) {
    return { kind: "ack", verb: ack[1], status: Number(ack[2]), rooms: names(ack[3]) };
  }
  const [verb, ...fields] = message.split(":");
  switch (verb) {
    case "BADAUTH":
    case "NOROOM":
      return { kind: verb.toLowerCase() };
    case "BEGIN":
      return { kind: "begin", players: fields };
    case "INPROGRESS":
      return { kind: "inprogress", turn: fields[0], other: fields[1] };
    case "BOARDSTATUS":
      return { kind: "board", board: fields[0] };
    case "GAMEEND":
      return { kind: "end", board: fields[0], how: Number(fields[1]), winner: fields[2] ?? null };
    default:
      return null;
  }
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
