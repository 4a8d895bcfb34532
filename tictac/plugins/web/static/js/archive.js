// Asking over HTTP (docs/reference/matches.md).

import { hasPart, learnParts } from "./parts.js";
import { hasPage, pathTo } from "./router.js";
import { learnTime } from "./servertime.js";
import { readMessage } from "./texts.js";

/** Something that can't be had: `code` says why. */
export class Missing extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/**
 * A promise of the next login, if this may come: where visitors see nothing without an account.
 * @returns {Promise<unknown>}
 */
let waitForLogin = () => Promise.reject(new Missing("not-logged-in"));

/** @param {() => Promise<unknown>} wait */
export function waitBy(wait) {
  waitForLogin = wait;
}

/**
 * What the server has at a path below /api/, of which `query` wants a part. Rejects with Missing. If nothing comes, the
 * window hears of it by an event `unreachable`.
 * @param {string[]} path
 * @param {Record<string, unknown>} query
 * @returns {Promise<any>}
 */
export async function read(path, query = {}) {
  if (!path.every(hasPage)) throw new Missing("no-such-user");
  const given = new URLSearchParams(/** @type {[string, string][]} */ (Object.entries(query).filter(([, value]) => (value ?? "") !== "")));
  let response, answer;
  try {
    response = await fetch(`/api${pathTo(...path)}?${given}`);
    if (path[0] === "tournaments") learnTime(response.headers.get("date") ?? "");
    answer = readMessage(await response.text());
  } catch {
    dispatchEvent(new Event("unreachable"));
    throw new Missing("unreachable");
  }
  if (answer.error === "not-logged-in") {
    await waitForLogin();
    return read(path, query);
  }
  if (!response.ok) throw new Missing(answer.error);
  return answer;
}

/**
 * Whether the server has such a plug-in as "boards" or "tournaments".
 * @param {string} part
 */
export const has = (part) => hasPart(part, async () => (await read(["lobby"])).parts);

/** What the server says of itself in the page: its `games`, its `parts`, and whether `guests` can play people. */
export const served = readMessage(document.getElementById("served").textContent);
learnParts(served.parts ?? []);

/** The games, as the server describes them. */
export const readGames = async () => served.games ?? [];
