// Telling who looks elsewhere that it is their turn: by the icon, a sound, a notification.

import { $ } from "./dom.js";
import { choose, chosen } from "./settings.js";
import { say } from "./texts.js";

const USUAL_ICON = $("icon").href;
const ICON_OF_MY_TURN = "/icon-turn.svg";

let audio = null;

/** Let the icon of the page show whether it is the visitor's turn. */
export function showTurn(isMine) {
  $("icon").href = isMine ? ICON_OF_MY_TURN : USUAL_ICON;
}

/** Something has happened that the visitor waits for: tell it as they wish. */
export function alert(text) {
  if (chosen("sound")) beep();
  if (chosen("notify") && document.hidden) notify(text);
}

/** A short tone. */
export function beep() {
  audio ??= new AudioContext();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.frequency.value = 587;
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.3);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.3);
}

/** Ask the browser whether the page may notify; whether it may. */
export async function mayNotify() {
  const is = "Notification" in window && (await Notification.requestPermission()) === "granted";
  if (!is) choose("notify", false);
  return is;
}

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
