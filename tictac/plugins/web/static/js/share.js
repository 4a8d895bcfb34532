// The link to a match that has ended, or to a move of it, and the match as a file.

import { copyText, make } from "./dom.js";
import { pathTo } from "./router.js";
import { say } from "./texts.js";

/** The path to a match after so many steps; to its end, if there is no number. */
export function pathToMatch(id, step) {
  return pathTo("match", id, step === undefined ? "" : String(step));
}

export class Share {
  element;
  #id = "";
  #step;
  #link = make("input", { id: "match-link", readOnly: true });
  #here = make("input", { type: "checkbox", id: "match-here" });
  #save = make("a", { class: "button", id: "match-save" }, say("match.export"));

  constructor() {
    this.#here.addEventListener("change", () => this.#write());
    const copy = make("button", { type: "button", hidden: !navigator.clipboard }, say("table.copy"));
    copy.addEventListener("click", () => copyText(this.#link.value));
    const label = make("label", { htmlFor: this.#link.id }, say("match.link"));
    const here = make("label", { class: "check", htmlFor: this.#here.id }, this.#here, say("match.here"));
    const row = make("div", { class: "row" }, this.#link, copy);
    this.element = make("div", { class: "share field" }, label, row, here, this.#save);
  }

  /** Share that match; `content` is what is exported, where the server doesn't give it to everybody. */
  show(id, content = null) {
    if (this.#save.href.startsWith("blob:")) URL.revokeObjectURL(this.#save.href);
    this.#id = id;
    this.#save.download = `${id}.json`;
    const blob = content && new Blob([JSON.stringify(content)], { type: "application/json" });
    this.#save.href = blob ? URL.createObjectURL(blob) : `/api${pathTo("matches", id)}`;
    this.#write();
  }

  /** Show which step is looked at. */
  mark(step) {
    this.#step = step;
    this.#write();
  }

  #write() {
    this.#link.value = location.origin + pathToMatch(this.#id, this.#here.checked ? this.#step : undefined);
  }
}
