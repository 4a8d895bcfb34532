// Messages to this device: the browser asks for permission only after a click. On an iPhone, an iPad only the page on the
// home screen may ask.

import { make, pause, whileBusy, write } from "./dom.js";
import { Lost, Refused } from "./session.js";
import { choose, chosen } from "./settings.js";
import { say } from "./texts.js";

/** Milliseconds for which "not now" holds, the first time. */
const LATER = 30 * 86_400_000;

/** Milliseconds in which a push service answers, or is out of reach: some browsers wait without end. */
const PATIENCE = 20_000;

/** Whether the browser has what it takes. */
export const canPush = () => "PushManager" in window && "serviceWorker" in navigator;

/** Whether that comes with the page on the home screen. */
export const isForHomeScreen = () => navigator.standalone === false;

/** The language and the time zone of this page, for what is sent. */
export const here = () => ({ language: document.documentElement.lang, zone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** The address of this device, or null. */
export async function findDevice() {
  if (!canPush()) return null;
  const worker = await navigator.serviceWorker.getRegistration();
  return (await worker?.pushManager.getSubscription()) ?? null;
}

/**
 * Let messages come to this device, by the server's `key`. Gives back its state (NoticesView), or a fault in words.
 * @param {Session} session
 * @param {string} key
 */
export async function subscribe(session, key) {
  if ((await Notification.requestPermission()) !== "granted") return { fault: say("notices.denied") };
  const worker = await navigator.serviceWorker.ready;
  const subscribed = worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => null);
  const device = await Promise.race([subscribed, pause(PATIENCE)]);
  if (!device) return { fault: say("notices.noPush") };
  return session.ask({ do: "notices", channel: "push", address: JSON.stringify(device), ...here() });
}

/** Asks once, after a move, whether one wants to be told of the next turn. */
export class AskCard {
  element = make("section", { class: "card ask-card", id: "ask-card", "aria-labelledby": "ask-card-title", hidden: true });
  #session;
  #title = make("h2", { id: "ask-card-title" });
  #note = make("p", { class: "hint", role: "status" });
  #yes = make("button", { type: "button", class: "main less" }, say("notices.notifyMe"));
  /** @type {Promise<boolean> | null} */
  #wish = null;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    const no = make("button", { type: "button", class: "quiet less" }, say("notices.notNow"));
    const more = make("a", { class: "button quiet less", href: "/notices" }, say("notices.otherWays"));
    this.element.append(this.#title, this.#note, make("div", { class: "row" }, this.#yes, more, no));
    no.addEventListener("click", () => this.#putOff());
    this.#yes.addEventListener("click", () => whileBusy(this.#yes, () => this.#accept()));
  }

  /**
   * Ask about the turn of that user, if one wasn't asked lately; null: there is nothing to ask.
   * @param {string} user
   */
  async show(user) {
    const [times, until] = chosen("asked", "0:0").split(":").map(Number);
    if (user === null || times > 1 || Date.now() < until) return void (this.element.hidden = true);
    this.#title.textContent = say("notices.ask", { user });
    this.#wish ??= this.#look();
    this.element.hidden = !(await this.#wish);
  }

  /** Whether there is something to offer: the server sends messages, and none come yet. */
  async #look() {
    try {
      const { contacts, channels } = await this.#session.ask({ do: "notices" });
      if (contacts.some(({ confirmed }) => confirmed) || !(channels.push || channels.email)) return false;
      const mayPush = channels.push && canPush() && Notification.permission !== "denied";
      this.#yes.hidden = !mayPush;
      write(this.#note, say(mayPush ? "notices.askHint" : isForHomeScreen() ? "notices.homeScreen" : "notices.askOther"));
      return true;
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
      return false;
    }
  }

  async #accept() {
    const { channels } = await this.#session.ask({ do: "notices" });
    /** @type {any} */
    const { fault } = await subscribe(this.#session, channels.push.key);
    if (!fault) choose("asked", "2:0");
    write(this.#note, fault ?? say("notices.done"));
    this.#yes.hidden = true;
  }

  #putOff() {
    const [times] = chosen("asked", "0:0").split(":").map(Number);
    choose("asked", `${times + 1}:${Date.now() + LATER}`);
    this.element.hidden = true;
  }
}
