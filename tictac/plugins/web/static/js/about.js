// What somebody can do about another player: block or mute them, or report them to the admins; a dialog.

import { icon, make, whileBusy, write } from "./dom.js";
import { nameOf } from "./names.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

/**
 * Offer it for a `user`; a report has the last texts of the `room`, if there is one.
 * @param {Session} session
 * @param {string} user
 * @param {string | undefined} room
 */
export async function openAbout(session, user, room) {
  const note = make("p", { class: "note", role: "status", hidden: true });
  const [mute, block] = ["mute", "block"].map((how) => make("button", { type: "button", value: how }, say(`privacy.${how}`)));
  const text = make("textarea", { id: "report-text", rows: 3, maxLength: 500, required: true });
  const send = make("button", {}, say("privacy.send"));
  const form = make(
    "form",
    { class: "stack" },
    make("label", { htmlFor: text.id }, say("privacy.reportLabel")),
    text,
    make("p", { class: "hint" }, say("privacy.reportHint")),
    send,
  );
  const choices = make("div", { class: "row" }, mute, block);
  choices.hidden = session.isGuest;
  for (const button of [mute, block]) {
    button.addEventListener("click", () =>
      whileBusy(button, () =>
        attempt(note, async () => {
          /** @type {any} */
          const how = button.getAttribute("aria-pressed") === "true" ? "off" : button.value;
          const { blocks } = await session.ask({ do: "block", user, how });
          mark(blocks[user]);
          write(note, say(`privacy.done.${how}`, { user: nameOf(user) }));
        }),
      ),
    );
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(send, () =>
      attempt(note, async () => {
        await session.ask({ do: "report", user, text: text.value.trim(), ...(room && { room }) });
        form.hidden = true;
        write(note, say("privacy.reported"));
      }),
    );
  });
  const hint = make("p", { class: "hint" }, say("privacy.aboutHint"));
  openDialog("about-title", say("privacy.about", { user: nameOf(user) }), hint, choices, note, form);
  if (!session.isGuest) await attempt(note, async () => mark((await session.ask({ do: "block" })).blocks[user]));

  /** @param {string | undefined} is */
  function mark(is) {
    for (const button of [mute, block]) button.setAttribute("aria-pressed", String(button.value === is));
  }
}

/**
 * Open a dialog with a title, of that id, and a button that closes it.
 * @param {string} id
 * @param {string} words
 * @param {...Child} children
 */
export function openDialog(id, words, ...children) {
  const close = make("button", { class: "quiet close", "aria-label": say("page.close") }, icon("close"));
  const head = make("div", { class: "head-row" }, make("h2", { id }, words), make("form", { method: "dialog" }, close));
  const dialog = make("dialog", { "aria-labelledby": id }, head, ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Do it, or say in the note why not; whether it is done.
 * @param {HTMLElement} note
 * @param {() => unknown} work
 */
export async function attempt(note, work) {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Lost)) throw error;
    write(note, error.message);
    return false;
  }
}
