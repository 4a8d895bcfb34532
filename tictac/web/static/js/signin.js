// Logging in and registering: two forms, of which one is shown.

import { ask, offer, passwordOf } from "./credentials.js";
import { $, announce, markField, show, whileBusy, write } from "./dom.js";
import { faultOfPassword, faultOfUser } from "./protocol.js";
import { Lost, recall } from "./session.js";

const UNREACHABLE = "The server can't be reached. Please try again in a moment.";

const LOGIN_FAULTS = {
  1: ["login-user", "There is no account of that name."],
  2: ["login-password", "That isn't the password of this account."],
  3: ["login-user", "The server doesn't take that."],
};

const REGISTER_FAULTS = {
  1: ["register-user", "That name is taken."],
  2: ["register-user", "The server doesn't take that name or password."],
};

/** The first view. `entered` is called when somebody is logged in. */
export class SignIn {
  #session;
  #entered;

  constructor(session, entered) {
    this.#session = session;
    this.#entered = entered;
    this.#listen("login", () => this.#logIn());
    this.#listen("register", () => this.#register());
    $("to-register").addEventListener("click", () => this.#choose("register"));
    $("to-login").addEventListener("click", () => this.#choose("login"));
  }

  /** Show it, to somebody new or to somebody who was here before a reload. */
  async open(error = "") {
    show("sign-in");
    document.title = "Log in – tictac";
    const { user } = recall();
    this.#choose("login");
    write($("login-error"), error);
    if (!user) return;
    $("login-user").value = user;
    write($("login-hint"), `Welcome back, ${user}. Your password isn't kept: please enter it again.`);
    $("login-password").focus();
    const password = await passwordOf(user);
    if (password && !$("login-password").value) {
      $("login-password").value = password;
      $("login").requestSubmit();
    }
  }

  /** Somebody leaves on purpose: greet the next one as a stranger. */
  forget() {
    ask();
    for (const id of ["login", "register"]) $(id).reset();
    write($("login-hint"), "To play, or to watch others play.");
  }

  #listen(id, work) {
    const form = $(id);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(form.querySelector("button.main"), work);
    });
    form.addEventListener("input", (event) => markField(event.target, ""));
  }

  #choose(id) {
    for (const name of ["login", "register"]) {
      $(name).hidden = name !== id;
      write($(`${name}-error`), "");
    }
    $("sign-in").setAttribute("aria-labelledby", id === "login" ? "sign-in-title" : "register-title");
    $(`${id}-user`).focus();
  }

  async #logIn() {
    const values = this.#read("login", () => "");
    if (!values) return;
    await this.#try("login", async () => {
      const status = await this.#session.logIn(values.user, values.password);
      if (status) this.#complain(...LOGIN_FAULTS[status]);
      else this.#enter(values);
    });
  }

  async #register() {
    const values = this.#read("register", faultOfPassword);
    if (!values) return;
    await this.#try("register", async () => {
      const status = await this.#session.register(values.user, values.password);
      if (status) return this.#complain(...REGISTER_FAULTS[status]);
      await this.#session.logIn(values.user, values.password);
      this.#enter(values);
    });
  }

  /** What is typed, or null when it can't be right: then it says so and goes there. */
  #read(id, faultOf) {
    const [user, password] = [$(`${id}-user`), $(`${id}-password`)];
    const faults = [
      [user, faultOfUser(user.value)],
      [password, password.value ? faultOf(password.value) : "Please enter a password."],
    ];
    for (const [input, fault] of faults) markField(input, fault);
    const wrong = faults.find(([, fault]) => fault);
    wrong?.[0].focus();
    return wrong ? null : { user: user.value, password: password.value };
  }

  async #try(id, work) {
    write($(`${id}-error`), "");
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      write($(`${id}-error`), UNREACHABLE);
    }
  }

  #complain(id, fault) {
    markField($(id), fault);
    announce(fault);
    $(id).focus();
    $(id).select();
  }

  #enter({ user, password }) {
    offer(user, password);
    for (const id of ["login-password", "register-password"]) $(id).value = "";
    this.#entered();
  }
}
