// The XMPP addresses that play as one's account (docs/reference/xmpp.md, "Accounts").

import { has } from "./archive.js";
import { make, refill, whileBusy, write } from "./dom.js";
import { here } from "./push.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

export class XmppCard {
  element;
  #session;
  #note = make("p", { class: "note", role: "status", hidden: true });
  #list = make("ul", { class: "stack" });
  #input = make("input", {
    id: "xmpp-address",
    type: "text",
    inputMode: "email",
    autocomplete: "off",
    spellcheck: false,
    required: true,
    "aria-describedby": "xmpp-hint",
  });
  #hint = make("p", { class: "hint", id: "xmpp-hint" });

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    const title = make("h2", { id: "xmpp-title" }, say("notices.xmpp.title"));
    const button = make("button", {}, say("notices.xmpp.link"));
    const form = make(
      "form",
      { class: "field" },
      make("label", { htmlFor: this.#input.id }, say("notices.channel.xmpp")),
      make("div", { class: "row" }, this.#input, button),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(button, () => this.#ask({ jid: this.#input.value.trim(), language: here().language }));
    });
    this.element = make(
      "section",
      { class: "card stack", "aria-labelledby": title.id, hidden: true },
      title,
      this.#hint,
      this.#note,
      this.#list,
      form,
    );
    session.addEventListener("event", ({ detail }) => detail.event === "xmpp" && this.#render(detail.links));
  }

  /** Show the addresses, if the server has XMPP. */
  async open() {
    this.element.hidden = true;
    if (!(await has("xmpp").catch(() => false))) return;
    write(this.#hint, say("notices.xmpp.hint", { user: this.#session.user }));
    await this.#ask({});
  }

  /** @param {Partial<Asked<"xmpp">>} fields */
  async #ask(fields) {
    try {
      const { domain, links } = await this.#session.ask({ do: "xmpp", ...fields });
      this.element.hidden = false;
      this.#render(links, domain);
      if (fields.language) this.#input.value = "";
      write(this.#note, "");
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      write(this.#note, error.message);
    }
  }

  #domain = "";

  /**
   * @param {Wire.Answers["xmpp"]["links"]} links
   * @param {string} [domain]
   */
  #render(links, domain = this.#domain) {
    this.#domain = domain;
    this.#list.hidden = !links.length;
    refill(this.#list, ...links.map((link) => this.#row(link)));
  }

  /** @param {Wire.Answers["xmpp"]["links"][number]} link */
  #row({ jid, confirmed, code }) {
    const button = make(
      "button",
      { type: "button", class: "less", "aria-label": `${say(confirmed ? "notices.xmpp.unlink" : "notices.xmpp.cancel")}: ${jid}` },
      say(confirmed ? "notices.xmpp.unlink" : "notices.xmpp.cancel"),
    );
    button.addEventListener("click", () => whileBusy(button, () => this.#ask({ jid, link: false })));
    const about = make("span", {}, make("b", {}, jid));
    if (!confirmed) {
      const words = `link ${code}`;
      const chat = make("a", { href: `xmpp:${this.#domain}?message;body=${encodeURIComponent(words)}` }, this.#domain);
      about.append(" ", make("span", { class: "hint" }, say("notices.xmpp.confirm"), " ", make("code", {}, words), " → ", chat));
    }
    return make("li", { class: "contact" }, about, button);
  }
}
