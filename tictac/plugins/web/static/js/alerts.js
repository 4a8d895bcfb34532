// What the page tells besides what it shows: by the icon, by sounds, by notifications.

import { $ } from "./dom.js";
import { choose, chosen } from "./settings.js";
import { say } from "./texts.js";

const USUAL_ICON = $("icon").href;
const ICON_OF_MY_TURN = "/icon-turn.svg";

/**
 * Let the icon of the page show whether it is the visitor's turn.
 * @param {boolean} isMine
 */
export function showTurn(isMine) {
  $("icon").href = isMine ? ICON_OF_MY_TURN : USUAL_ICON;
}

/**
 * Something has happened that the visitor waits for: tell it as they wish.
 * @param {string} text
 */
export function alert(text) {
  if (chosen("notify") && document.hidden) notify(text);
}

/**
 * Let something be heard, if the visitor wants that, and has done anything on the page yet.
 * @param {string} name
 */
export function sound(name) {
  if (!chosen("sound") || navigator.userActivation?.hasBeenActive === false) return;
  import("./sounds.js").then(
    ({ play }) => play(name),
    () => {},
  ); // without a connection it is quiet
}

/** Ask the browser whether the page may notify; whether it may. */
export async function mayNotify() {
  const is = "Notification" in window && (await Notification.requestPermission()) === "granted";
  if (!is) choose("notify", false);
  return is;
}

/** @param {string} text */
function notify(text) {
  try {
    const told = new Notification(say("page.name"), { body: text, tag: "tictac", icon: ICON_OF_MY_TURN });
    told.addEventListener("click", () => {
      window.focus();
      told.close();
    });
  } catch {
    // Some phones let only pages do that which work without a connection.
  }
}
