// What views of the past have in common: asking as a guest, what is wrong, who, and when.

import { Missing, readGames } from "./archive.js";
import { addStyle, icon, make } from "./dom.js";
import { nameOf } from "./names.js";
import { hasPage, pathTo } from "./router.js";
import { Lost, recall, Refused } from "./session.js";
import { hasText, readMessage, say } from "./texts.js";

/**
 * Ask something of the lobby protocol as a guest, who goes when it is answered, or by the `signal`: what takes
 * long is in nobody's way then, and needs no login. Rejects with Missing.
 */
export function askAsGuest(request, signal) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`);
    const send = (message) => socket.send(JSON.stringify(message));
    const { user, token } = recall();
    let id = 1;
    const begin = (login) => {
      send(login);
      send({ ...request, id });
    };
    socket.addEventListener("open", () => begin({ do: "guest" }));
    socket.addEventListener("message", ({ data }) => {
      const message = readMessage(data);
      if (message.error === "not-logged-in" && token && id === 1) {
        id = 2; // where guests see nothing
        return begin({ do: "login", user, token });
      }
      if (message.answer === 1 && id === 2) return;
      if (message.error) reject(new Missing(message.error));
      else if (message.answer === id) resolve(message);
      else return;
      socket.close();
    });
    socket.addEventListener("close", () => reject(new Missing("unreachable")));
    signal.addEventListener("abort", () => socket.close());
  });
}

/** A sentence for what an error of `read`, or of the lobby protocol, says. Throws any other. */
export function explain(error) {
  if (![Missing, Refused, Lost].some((kind) => error instanceof kind)) throw error;
  return say(hasText(`errors.${error.code}`) ? `errors.${error.code}` : "errors.unreachable");
}

/** The titles of the games, by their names. */
export async function readTitles() {
  return new Map((await readGames()).map(({ name, title }) => [name, title]));
}

const TIME = { dateStyle: "medium", timeStyle: "short" };

/** A time of the server's, as people here write it. */
export function sayTime(text) {
  return new Intl.DateTimeFormat(document.documentElement.lang, TIME).format(new Date(text));
}

/** The day of a time of the server's. */
export function sayDay(text) {
  return new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long" }).format(new Date(text));
}

/** Who had a seat: a link for who has an account; `computers` says what computers are called. */
export function linkTo({ name, kind }, computers) {
  if (kind === "account" && hasPage(name)) return make("a", { href: pathTo("player", name) }, name);
  return make("span", {}, nameOf(name, computers));
}

/**
 * A computer's name with its kind below.
 * @param {string} name
 * @param {string} kind
 * @returns {HTMLElement}
 */
export function signOf(name, kind) {
  return make("span", {}, name, " ", make("span", { class: "bot-sign" }, icon("robot"), kind));
}

/** Put the style on that these views have in common; without it they can be read, too. */
export function dress() {
  return addStyle("/css/archive.css").catch(() => {});
}

/** A match comes into the archive a little after its end: ask so often, after so many milliseconds. */
export const ARCHIVE_TRIES = 4;
export const ARCHIVE_PAUSE = 500;
