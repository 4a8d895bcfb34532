// How one wants to be told of one's turn: on this device, by mail, at a webhook, and not in quiet hours. And the links in
// such messages (docs/reference/notices.md).

import { $, entitle, make, refill, show, whileBusy, write } from "./dom.js";
import { canPush, findDevice, here, isForHomeScreen, subscribe } from "./push.js";
import { Lost, Refused } from "./session.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";
import { XmppCard } from "./xmpp.js";

const WISHES = ["each", "daily", "late", "off"];

/** Quiet hours that are offered at first. */
const QUIET = ["22:00", "07:00"];

export class NoticesView {
  /** @type {Session} */
  #session;
  /** @type {(why?: string) => void} */
  #shut;
  #stay = new Stay();
  #title = make("h1", { id: "notices-title", tabIndex: -1 }, say("notices.title"));
  #note = make("p", { class: "note", role: "status", hidden: true });
  #body = make("div", { class: "stack" });
  #xmpp;

  /**
   * @param {Session} session
   * @param {(why?: string) => void} shut
   */
  constructor(session, shut) {
    [this.#session, this.#shut] = [session, shut];
    this.#xmpp = new XmppCard(session);
    const names = { class: "view stack", id: "notices", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(
      make("section", names, this.#title, make("p", { class: "hint" }, say("notices.hint")), this.#note, this.#body, this.#xmpp.element),
    );
  }

  async open() {
    if (!this.#session.user || this.#session.isGuest) return this.#shut(say("mine.logIn"));
    this.#stay.begin();
    show("notices");
    entitle(say("notices.title"));
    this.#title.focus();
    await this.#ask({});
    await this.#xmpp.open();
  }

  close() {
    this.#stay.end();
  }

  /**
   * Ask for a change, or for what there is, and show it.
   * @param {Partial<Asked<"notices">>} fields
   */
  async #ask(fields) {
    try {
      await this.#stay.here(this.#session.connect());
      await this.#render(await this.#stay.here(this.#session.ask({ do: "notices", ...fields })));
      const isNew = fields.channel === "email" && fields.language; // which comes with an address
      write(this.#note, isNew ? say("notices.sent") : fields.channel || fields.quiet ? say("notices.kept") : "");
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      write(this.#note, /** @type {any} */ (error).code === "malformed" ? say("notices.none") : error.message);
    }
  }

  /** @param {Wire.Answers["notices"]} told */
  async #render({ contacts, channels, settings }) {
    const device = await this.#stay.here(findDevice().catch(() => null));
    /** @param {Contact} contact */
    const isHere = ({ channel, address }) => channel === "push" && device?.endpoint === endpointOf(address);
    const rows = contacts.map((contact) => this.#row(contact, isHere(contact)));
    const forms = Object.keys(channels)
      .filter((name) => name !== "push")
      .map((name) => this.#form(name));
    const sections = [
      ...(channels.push ? [this.#section("device", ...this.#push(channels.push.key, contacts.some(isHere)))] : []),
      ...(rows.length ? [this.#section("where", make("ul", { class: "stack" }, ...rows))] : []),
      ...(forms.length ? [this.#section("addresses", ...forms)] : []),
      ...(Object.keys(channels).length
        ? [this.#section("quiet", ...this.#quiet(settings))]
        : [make("p", { class: "card empty" }, say("notices.none"))]),
    ];
    refill(this.#body, ...sections);
  }

  /**
   * @param {string} name
   * @param {...Child} children
   */
  #section(name, ...children) {
    const title = make("h2", { id: `notices-${name}-title` }, say(`notices.section.${name}`));
    return make("section", { class: "card stack", "aria-labelledby": title.id }, title, ...children);
  }

  /**
   * @param {Contact} contact
   * @param {boolean} isHere
   */
  #row({ channel, address, wish, confirmed, failed }, isHere) {
    const where = channel === "push" ? say(isHere ? "notices.thisDevice" : "notices.device") : address;
    const select = make(
      "select",
      { "aria-label": say("notices.when", { where }) },
      ...WISHES.map((each) => make("option", { value: each, selected: each === wish }, say(`notices.wish.${each}`))),
    );
    select.addEventListener("change", () => this.#ask({ channel, address, wish: /** @type {any} */ (select.value) }));
    const state = failed ? say("notices.failed", { why: failed }) : confirmed ? "" : say("notices.unconfirmed");
    return make(
      "li",
      { class: "contact" },
      make("span", {}, where, ...(state ? [make("span", { class: failed ? "error" : "hint" }, ` ${state}`)] : [])),
      select,
    );
  }

  /** @param {string} channel */
  #form(channel) {
    const input = make("input", {
      id: `notices-${channel}`,
      type: channel === "email" ? "email" : channel === "xmpp" ? "text" : "url",
      autocomplete: channel === "email" ? "email" : "off",
      required: true,
      "aria-describedby": `notices-${channel}-hint`,
    });
    const button = make("button", {}, say("notices.add"));
    const hint = make("p", { class: "hint", id: `notices-${channel}-hint` }, say(`notices.about.${channel}`));
    const form = make(
      "form",
      { class: "field" },
      make("label", { htmlFor: input.id }, say(`notices.channel.${channel}`)),
      make("div", { class: "row" }, input, button),
      hint,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(button, () => this.#ask({ channel, address: input.value.trim(), ...here() }));
    });
    return form;
  }

  /**
   * @param {string} key
   * @param {boolean} isHere
   */
  #push(key, isHere) {
    if (isHere) return [make("p", {}, say("notices.isHere"))];
    if (!canPush()) return [make("p", {}, say(isForHomeScreen() ? "notices.homeScreen" : "notices.cannot"))];
    if (Notification.permission === "denied") return [make("p", {}, say("notices.denied"))];
    const button = make("button", { class: "main", type: "button", id: "notices-push" }, say("notices.here"));
    button.addEventListener("click", () =>
      whileBusy(button, async () => {
        /** @type {any} */
        const state = await subscribe(this.#session, key).catch((error) => {
          if (!(error instanceof Refused || error instanceof Lost)) throw error;
          return { fault: error.message };
        });
        if (!state.fault) await this.#render(state);
        write(this.#note, state.fault ?? say("notices.done"));
      }),
    );
    return [make("p", { class: "hint" }, say("notices.askHint")), button];
  }

  /** @param {Wire.Answers["notices"]["settings"]} settings */
  #quiet({ quiet, zone }) {
    const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
    const [from, to] = quiet?.split("-") ?? QUIET;
    /**
     * @param {string} name
     * @param {string} value
     */
    const select = (name, value) =>
      make(
        "select",
        { id: `notices-${name}` },
        ...[...new Set([...hours, value])].sort().map((hour) => make("option", { value: hour, selected: hour === value }, hour)),
      );
    const [first, last] = [select("from", from), select("to", to)];
    const isOn = make("input", { id: "notices-quiet", type: "checkbox", role: "switch", checked: Boolean(quiet) });
    const send = () => this.#ask({ ...here(), quiet: isOn.checked ? `${first.value}-${last.value}` : "off" });
    for (const input of [isOn, first, last]) input.addEventListener("change", () => (input === isOn || isOn.checked) && send());
    /**
     * @param {HTMLElement} input
     * @param {string} name
     */
    const field = (input, name) => make("div", { class: "field" }, make("label", { htmlFor: input.id }, say(`notices.${name}`)), input);
    return [
      make("div", { class: "switch" }, make("label", { htmlFor: isOn.id }, say("notices.quietOn")), isOn),
      make("div", { class: "row" }, field(first, "from"), field(last, "to")),
      make("p", { class: "hint" }, say("notices.zone", { zone })),
    ];
  }
}

/** @param {string} address */
function endpointOf(address) {
  try {
    return JSON.parse(address).endpoint;
  } catch {
    return "";
  }
}

/** A link of a message: it says what it does, and does that after a click. Programs open links, too. */
export class LinkView {
  #session;
  #stay = new Stay();
  #title = make("h1", { id: "notice-title", tabIndex: -1 }, say("notices.title"));
  #text = make("p", { role: "status" });
  #button = make("button", { class: "main", type: "button", id: "notice-go", hidden: true });
  #link = "";

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.#button.addEventListener("click", () => whileBusy(this.#button, () => this.#ask(true)));
    const card = make("div", { class: "card stack" }, this.#title, this.#text, this.#button);
    $("main").append(make("section", { class: "view", id: "notice", "aria-labelledby": "notice-title", hidden: true }, card));
  }

  /** @param {...string} parts */
  async open(...parts) {
    this.#stay.begin();
    this.#link = parts.join("/");
    show("notice");
    entitle(say("notices.title"));
    this.#title.focus();
    await this.#ask(false);
  }

  close() {
    this.#stay.end();
  }

  /** @param {boolean} go */
  async #ask(go) {
    this.#button.hidden = true;
    try {
      await this.#stay.here(this.#session.connect());
      const { does, user, done } = await this.#stay.here(this.#session.ask({ do: "link", link: this.#link, ...(go && { go }) }));
      this.#text.textContent = say(`notices.${done ? "did" : "does"}.${does}`, { user });
      this.#button.textContent = say(`notices.go.${does}`);
      this.#button.hidden = done;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      this.#text.textContent = error.message;
    }
  }
}
