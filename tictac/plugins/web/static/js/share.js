// The link to a match that has ended, or to a move of it, and the match as a file.

import { read } from "./archive.js";
import { saveFile } from "./archived.js";
import { announce, copyText, make, share } from "./dom.js";
import { pathTo } from "./router.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

/**
 * The path to a match after so many steps; to its end, if there is no number.
 * @param {string} id
 * @param {number} [step]
 */
export function pathToMatch(id, step) {
  return pathTo("match", id, step === undefined ? "" : String(step));
}

/** What the server draws, apart from texts; and the pictures of which it makes a page for frames. */
const [DRAWN, FRAMED] = [
  ["png", "gif"],
  ["svg", "png"],
];

export class Share {
  element;
  #id = "";
  /** @type {object | null} */
  #content = null;
  /** @type {number | undefined} */
  #step;
  #link = make("input", { id: "match-link", readOnly: true });
  #here = make("input", { type: "checkbox", id: "match-here" });
  #save = make("a", { class: "button", id: "match-save" }, say("match.export"));
  #formats = make("span", { class: "row formats" });
  #embed = make("button", { type: "button", class: "embed", hidden: true }, say("match.embed"));

  constructor() {
    this.#here.addEventListener("change", () => this.#write());
    this.#save.addEventListener("click", (event) => {
      if (!this.#content) return;
      event.preventDefault();
      saveFile(this.#save.download, JSON.stringify(this.#content), "application/json");
    });
    const copy = make("button", { type: "button", hidden: !navigator.clipboard }, say("table.copy"));
    copy.addEventListener("click", () => copyText(this.#link.value));
    const send = make("button", { type: "button", class: "main less", hidden: !navigator.share }, say("table.share"));
    send.addEventListener("click", () => share({ url: this.#link.value }));
    const label = make("label", { htmlFor: this.#link.id }, say("match.link"));
    const here = make("label", { class: "check", htmlFor: this.#here.id }, this.#here, say("match.here"));
    const row = make("div", { class: "row" }, this.#link, send, copy);
    this.#embed.addEventListener("click", () => copyText(this.#frame));
    const files = make("div", { class: "row" }, this.#save, this.#formats, this.#embed);
    this.element = make("div", { class: "share field" }, label, row, here, files);
  }

  /**
   * Share that match of a game, "" if that isn't to be known yet; `content` is what is exported, and `ask(format)` asks for
   * a file, where the server doesn't give them to everybody.
   * @param {string} id
   * @param {string} game
   * @param {object | null} [content]
   * @param {((format: string) => Promise<Wire.Answers["match"]>) | null} [ask]
   */
  show(id, game, content = null, ask = null) {
    [this.#id, this.#content] = [id, content];
    this.#save.download = `${id}.json`;
    this.#save.href = `/api${pathTo("matches", id)}`;
    this.#formats.replaceChildren();
    this.#embed.hidden = true;
    if (game) this.#offer(id, game, ask);
    this.#write();
  }

  /**
   * Offer the files of other programs, and pictures, which everybody may see.
   * @param {string} id
   * @param {string} game
   * @param {((format: string) => Promise<Wire.Answers["match"]>) | null} ask
   */
  async #offer(id, game, ask) {
    const { formats, frames } = await read(["formats"]).catch(() => ({ formats: {}, frames: false }));
    if (id !== this.#id) return;
    const able = (formats[game] ?? []).filter((/** @type {string} */ suffix) => !ask || !DRAWN.includes(suffix));
    this.#embed.hidden = Boolean(ask) || !frames || !navigator.clipboard || !FRAMED.some((each) => formats[game]?.includes(each));
    this.#formats.replaceChildren(
      ...able.map((/** @type {string} */ suffix) => {
        const href = DRAWN.includes(suffix) ? `${pathToMatch(id)}.${suffix}` : `/api${pathTo("matches", `${id}.${suffix}`)}`;
        const link = make("a", { class: "button", href, download: `${id}.${suffix}` }, suffix.toUpperCase());
        if (ask) link.addEventListener("click", (event) => this.#fetch(event, link, ask(suffix)));
        return link;
      }),
    );
  }

  /**
   * Save a file that comes with an answer.
   * @param {Event} event
   * @param {HTMLAnchorElement} link
   * @param {Promise<Wire.Answers["match"]>} asked
   */
  async #fetch(event, link, asked) {
    event.preventDefault();
    try {
      saveFile(link.download, /** @type {string} */ ((await asked).file));
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
      announce(error.message);
    }
  }

  /** The element with which another page shows the match. */
  get #frame() {
    return `<iframe src="${location.origin}/embed${pathToMatch(this.#id)}" title="${say("page.name")}" width="400" height="440"></iframe>`;
  }

  /**
   * Show which step is looked at.
   * @param {number} step
   */
  mark(step) {
    this.#step = step;
    this.#write();
  }

  #write() {
    this.#link.value = location.origin + pathToMatch(this.#id, this.#here.checked ? this.#step : undefined);
  }
}
