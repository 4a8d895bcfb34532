// What players are called, and what they look like. Computers are characters: the server says which, by their level
// (docs/reference/people.md, "Computers"). Every view asks here, so that no view has the names of the protocol.

import { make, makeAvatar } from "./dom.js";
import { say, translate } from "./texts.js";

/**
 * A computer, as the server describes it: what it is called, and its level, if that is known. Or a `guest`: what they
 * are called in a tournament.
 * @typedef {{ name: string, level?: string, guest?: boolean }} Computer
 */

/**
 * The computers of a room, a match, or a tournament, by their names in the protocol, such as "computer 2".
 * @typedef {Record<string, Computer>} Computers
 */

/**
 * What a face shows; "": it is calm.
 * @typedef {"" | "think" | "won" | "lost"} Mood
 */

/** What the protocol calls computers. */
const COMPUTER = /^computer( \d+)?$/;

/** What the protocol calls guests. */
const GUEST = /^guest-(\d+)$/;

/** The folder of the faces; the server puts a tag into its name. */
const FACES = "/characters/";

/** The faces that have moods, by the first letters of their files: those of characters that stand for a level. */
const MOODY = /^(pip|dot|rook|vega|ada)/;

/**
 * What the server says of a computer; null for people and programs.
 * @param {string} user
 * @param {Computers | null} [computers]
 * @returns {Computer | null}
 */
function find(user, computers) {
  if (computers && Object.hasOwn(computers, user)) return computers[user];
  return COMPUTER.test(user) ? { name: say("table.robot") } : null;
}

/**
 * What a player is called: a computer by its character, a guest by a number, others by their name.
 * @param {string} user
 * @param {Computers | null} [computers]
 * @returns {string}
 */
export function nameOf(user, computers) {
  const found = find(user, computers);
  if (found) return found.guest ? found.name : translate(found.name);
  const [, number] = GUEST.exec(user) ?? [];
  return number ? say("table.guest", { number }) : user;
}

/**
 * The computers of what the server has `told`, and its guests, who have `names` in a tournament.
 * @param {{ computers?: Computers | null, names?: Record<string, string> }} told
 * @returns {Computers}
 */
export function castOf({ computers, names = {} }) {
  return { ...computers, ...Object.fromEntries(Object.entries(names).map(([user, name]) => [user, { name, guest: true }])) };
}

/**
 * What kind of player it is, such as "computer, club"; "" for people. The persons of a game have no level beside their names.
 * @param {string} user
 * @param {Computers | null} [computers]
 * @returns {string}
 */
export function kindOf(user, computers) {
  const found = find(user, computers);
  if (!found || found.guest) return "";
  return kindAt(MOODY.test(found.name.toLowerCase()) ? found.level : undefined);
}

/**
 * What kind of player a computer at that level is.
 * @param {string} [level]
 * @returns {string}
 */
export function kindAt(level) {
  return level ? say("table.kind", { level: translate(level) }) : say("table.robot");
}

/**
 * Who plays a level of a game, which is as the server describes it.
 * @param {{ levels?: string[], characters?: string[] } | null | undefined} game
 * @param {string} level
 * @returns {string}
 */
export function characterOf(game, level) {
  return game?.characters?.[game.levels?.indexOf(level) ?? -1] ?? kindAt(level);
}

/**
 * The face of a player: a computer's character, or the letter of others. `size`: "small", "mid" or "large".
 * @param {string} user
 * @param {Computers | null} [computers]
 * @param {Mood} [mood]
 * @param {string} [size]
 * @returns {HTMLElement}
 */
export function faceOf(user, computers, mood, size) {
  const { name, guest } = computers && Object.hasOwn(computers, user) ? computers[user] : {};
  return name && !guest ? faceNamed(name, mood, size) : makeAvatar(name ?? user, size);
}

/**
 * The face of a character, by its name, such as "Pip 2".
 * @param {string} name
 * @param {Mood} [mood]
 * @param {string} [size]
 * @returns {HTMLImageElement}
 */
export function faceNamed(name, mood = "", size = "") {
  const [first] = name.toLowerCase().split(" ");
  const file = mood && MOODY.test(first) ? `${first}-${mood}` : first;
  return make("img", { class: `face ${size}`, loading: "lazy", src: `${FACES}${file}.svg`, alt: "", width: 64, height: 64 });
}
