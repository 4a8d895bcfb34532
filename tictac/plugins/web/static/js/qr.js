// A link as a QR code. The library that computes it is fetched for the first one: lib/lean-qr.txt has its license.

import { has, read } from "./archive.js";
import { draw, make, write } from "./dom.js";
import { addTexts, say } from "./texts.js";

const LIBRARY = "/lib/lean-qr.js";

/** Modules of margin on each side (ISO/IEC 18004). */
const MARGIN = 4;

/**
 * A picture of the link to a room, with the link for chat clients. Rejects with a TypeError, as import() does.
 * @param {string} link
 */
export async function drawCode(link) {
  const picture = await drawPicture(link);
  const chat = make("p", { class: "hint", id: "xmpp-link", hidden: true });
  showChat(chat, new URL(link).pathname.split("/").slice(2).map(decodeURIComponent));
  return make("div", { class: "stack" }, picture, chat);
}

/**
 * Show how chat clients enter a room, if the server has XMPP.
 * @param {HTMLElement} note
 * @param {string[]} path
 */
async function showChat(note, path) {
  if (!(await has("xmpp").catch(() => false))) return;
  const found = await Promise.all([read(["xmpp", ...path.filter(Boolean)]), addTexts()]).catch(() => null);
  if (!found) return;
  const [{ link }] = found;
  write(note, say("notices.xmpp.room"));
  note.append(" ", make("a", { href: link }, link));
}

/**
 * A picture of a link. Rejects with a TypeError, as import() does.
 * @param {string} link
 */
export async function drawPicture(link) {
  const { correction, generate } = await import(`${LIBRARY}`);
  const code = generate(link, { minCorrectionLevel: correction.M });
  const side = code.size + 2 * MARGIN;
  const dark = [];
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) dark.push(`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`);
  }
  const box = { class: "qr", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": say("table.code") };
  return draw("svg", box, draw("path", { d: dark.join("") }));
}
