// Logging in, registering, and coming as a guest: two forms, of which one is shown, and a button.

import { $, announce, entitle, markField, show, whileBusy, write } from "./dom.js";
import { Lost, recall, Refused } from "./session.js";
import { hasText, say } from "./texts.js";

/** By the server's code: the field that is wrong. */
/** @type {Record<string, string>} */
const FAULTS = {
  "wrong-password": "password",
  "user-exists": "user",
  "bad-user-name": "user",
  "bad-password": "password",
  "bad-code": "code",
};

/** The first view, until the session is `ready`. */
export class SignIn {
  #session;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.#listen("login", (account, stays) => session.enter({ do: "login", ...account }, stays));
    this.#listen("register", (account, stays) => session.register(account, stays));
    $("to-register").addEventListener("click", () => this.#choose("register"));
    $("to-login").addEventListener("click", () => this.#choose("login"));
    session.addEventListener("greeted", () => {
      $("guests").hidden = session.visitors === "none";
      $("login-new").hidden = session.registration === "closed";
      if (session.registration === "closed") write($("to-log-in"), say("signIn.logIn"));
      $("register-code-field").hidden = session.registration !== "code";
      const count = session.minPassword;
      write($("register-password-hint"), count > 1 ? say("signIn.passwordHint", { count }) : "");
      write($("guests-hint"), say(session.guests ? "signIn.guestsWithOthers" : "signIn.guestsAlone"));
    });
    const guest = $("as-guest");
    guest.addEventListener("click", () => whileBusy(guest, () => this.#try("login", () => session.enter({ do: "guest" }))));
  }

  /** Show it, to somebody new or to somebody who was here before a reload. */
  open(error = "") {
    show("sign-in");
    entitle(say("signIn.title"));
    const { user, guest } = recall();
    this.#choose("login");
    write($("login-error"), error);
    if (!error) this.#session.connect().catch(() => {}); // to know what guests may do
    if (!user || guest) return;
    $("login-user").value = user;
    write($("login-hint"), say("signIn.welcome", { user }));
    $("login-password").focus();
  }

  /** Show the form for a new account. */
  register() {
    this.#choose("register");
  }

  /** Somebody has come in (router.js). */
  close() {}

  /** Somebody leaves on purpose: greet the next one as a stranger. */
  forget() {
    for (const id of ["login", "register"]) $(id).reset();
    write($("login-hint"), say("signIn.hint"));
  }

  /**
   * @param {string} id
   * @param {(account: any, stays: boolean) => unknown} work
   */
  #listen(id, work) {
    /** @type {Made<"form">} */
    const form = $(id);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const account = this.#read(id);
      if (!account) return;
      const stays = $(`${id}-stay`).checked;
      whileBusy(/** @type {HTMLElement} */ (form.querySelector("button.main")), async () => {
        if (!(await this.#try(id, () => work({ ...account, remember: true }, stays)))) return;
        for (const name of ["login", "register"]) $(`${name}-password`).value = "";
      });
    });
    form.addEventListener("input", (event) => markField(event.target, ""));
  }

  /** @param {string} id */
  #choose(id) {
    for (const name of ["login", "register"]) {
      $(name).hidden = name !== id;
      write($(`${name}-error`), "");
    }
    $("sign-in").setAttribute("aria-labelledby", id === "login" ? "sign-in-title" : "register-title");
    $(`${id}-user`).focus();
  }

  /**
   * What is typed, or null when something is missing: then it says so and goes there.
   * @param {string} id
   */
  #read(id) {
    const names = ["user", "password"];
    if (id === "register" && this.#session.registration === "code") names.push("code");
    const inputs = new Map(names.map((name) => [name, $(`${id}-${name}`)]));
    const missing = names.filter((name) => !inputs.get(name).value);
    for (const [name, input] of inputs) markField(input, missing.includes(name) ? say(`signIn.no.${name}`) : "");
    if (!missing.length) return Object.fromEntries([...inputs].map(([name, { value }]) => [name, value]));
    inputs.get(missing[0]).focus();
    return null;
  }

  /**
   * Do it; whether somebody is logged in then.
   * @param {string} id
   * @param {() => unknown} work
   */
  async #try(id, work) {
    write($(`${id}-error`), "");
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof Refused) this.#complain(id, error);
      else if (!(error instanceof Lost)) throw error;
      else write($(`${id}-error`), error.message);
      return false;
    }
  }

  /**
   * @param {string} id
   * @param {{ code: string, message: string }} told
   */
  #complain(id, { code, message }) {
    const field = FAULTS[code];
    if (!field || !hasText("errors")) return write($(`${id}-error`), message);
    const input = $(`${id}-${field}`);
    const isShort = code === "bad-password" && input.value.length < this.#session.minPassword;
    const fault = isShort ? say("signIn.passwordHint", { count: this.#session.minPassword }) : say(`errors.signIn.${code}`);
    markField(input, fault);
    announce(fault);
    input.focus();
    input.select();
  }
}
