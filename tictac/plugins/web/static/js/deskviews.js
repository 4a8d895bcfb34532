// The desk of a teacher, and codes that log somebody in: fetched when one of these views is opened.

import { CodeView } from "./code.js";
import { DeskView } from "./desk.js";
import { $, make } from "./dom.js";
import { say } from "./texts.js";

/** By the first part of their paths. */
export const VIEWS = { code: CodeView, desk: DeskView };

/** @type {HTMLElement | null} */
let way = null;

/**
 * Add the way to the desk to the menu of a teacher, until the logout.
 * @param {Session} session
 */
export function addWay(session) {
  if (way?.isConnected) return;
  way = make("a", { id: "to-desk", href: "/desk" }, say("desk.title"));
  $("to-notices").before(way);
  session.addEventListener("ended", () => way?.remove(), { once: true });
  $("log-out").addEventListener("click", () => way?.remove(), { once: true });
}
