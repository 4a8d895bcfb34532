// A dialog for another password, made when somebody wants one.

import { openDialog } from "./about.js";
import { make, markField, whileBusy, write } from "./dom.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

/**
 * Which field is wrong.
 * @type {Record<string, string[]>}
 */
const FAULTS = { "wrong-password": ["old", "errors"], "bad-password": ["new", "errors.signIn"] };

/**
 * Let whoever is logged in to the `session` change the password.
 * @param {Session} session
 */
export function openPassword(session) {
  const count = session.minPassword;
  const hint = make("p", { class: "hint", id: "password-hint" });
  write(hint, count > 1 ? say("signIn.passwordHint", { count }) : "");
  const inputs = { old: makeInput("old", "current-password", ""), new: makeInput("new", "new-password", hint.id) };
  const user = make("input", { name: "username", autocomplete: "username", value: session.user, hidden: true });
  const note = make("p", { class: "note", id: "password-note", role: "status", hidden: true });
  const button = make("button", {}, say("password.change"));
  const fields = [makeField(inputs.old), makeField(inputs.new, hint)];
  const form = make("form", { id: "password", method: "post", noValidate: true }, user, note, ...fields, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(button, () => change(session, form, inputs, note));
  });
  openDialog("password-title", say("password.title"), form);
}

/**
 * @param {string} name
 * @param {string} autocomplete
 * @param {string} hint
 */
function makeInput(name, autocomplete, hint) {
  const id = `password-${name}`;
  return make("input", { id, type: "password", autocomplete, "aria-describedby": `${hint} ${id}-error`.trim() });
}

/**
 * @param {HTMLInputElement} input
 * @param {...Child} hints
 */
function makeField(input, ...hints) {
  const label = make("label", { htmlFor: input.id }, say(`password.${input.id.slice(9)}`));
  const error = make("p", { class: "error", id: `${input.id}-error`, hidden: true });
  return make("div", { class: "field" }, label, input, ...hints, error);
}

/**
 * @param {Session} session
 * @param {HTMLFormElement} form
 * @param {Record<string, HTMLInputElement>} inputs
 * @param {HTMLElement} note
 */
async function change(session, form, inputs, note) {
  for (const input of Object.values(inputs)) markField(input, "");
  write(note, "");
  try {
    await session.changePassword(inputs.old.value, inputs.new.value);
  } catch (error) {
    if (error instanceof Lost) return write(note, error.message);
    if (!(error instanceof Refused)) throw error;
    const [field, texts] = FAULTS[error.code] ?? [];
    const wrong = inputs[field];
    if (!wrong) return write(note, error.message);
    const count = session.minPassword;
    const isShort = error.code === "bad-password" && wrong.value.length < count;
    markField(wrong, isShort ? say("signIn.passwordHint", { count }) : say(`${texts}.${error.code}`));
    return wrong.focus();
  }
  form.reset();
  write(note, say("password.changed"));
}
