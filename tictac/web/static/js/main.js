// Where it begins: the views, and which of them is shown when.

import { Connection } from "./connection.js";
import { $, announce, write } from "./dom.js";
import { Lobby } from "./lobby.js";
import { Room } from "./room.js";
import { recall, remember, Session } from "./session.js";
import { SignIn } from "./signin.js";

const scheme = location.protocol === "https:" ? "wss" : "ws";
const connection = new Connection(`${scheme}://${location.host}/ws/rooms`);
const session = new Session(connection);
const room = new Room(session, back);
const lobby = new Lobby(session, enter);
const signIn = new SignIn(session, welcome);

session.addEventListener("event", (event) => room.apply(event.detail));
session.addEventListener("lost", (event) => lost(event.detail));
session.addEventListener("restored", restored);
session.addEventListener("ended", (event) => leave(event.detail));
$("log-out").addEventListener("click", () => {
  session.logOut();
  signIn.forget();
  leave("");
});
$("try-now").addEventListener("click", () => connection.tryNow());

signIn.open();

/** Somebody is logged in, for the first time or after a reload. */
function welcome() {
  $("who").hidden = false;
  $("user").textContent = session.user;
  comeTo(recall().watched, "");
}

/** Nobody is logged in. */
function leave(error) {
  room.close();
  lobby.pause();
  $("who").hidden = true;
  $("banner").hidden = true;
  signIn.open(error);
}

function enter(name, role) {
  remember({ watched: role === "viewer" ? name : undefined });
  room.open(name, role);
}

/** Back from a room. */
function back(again) {
  remember({ watched: undefined });
  lobby.open();
  if (again) lobby.playComputer();
}

/** Go where the visitor was: to the room that was watched, or into the lobby. */
function comeTo(watched, note) {
  lobby.open(note);
  if (watched) lobby.join(watched, "VIEWER");
}

function lost({ delay }) {
  const seconds = Math.max(1, Math.round(delay / 1000));
  const inTime = seconds === 1 ? "a second" : `${seconds} seconds`;
  write($("banner-text"), `The connection was lost. Trying again in ${inTime}.`);
  $("banner").hidden = false;
  lobby.pause();
  if (room.match && room.match.role !== "viewer" && !room.match.result) room.lose();
}

function restored() {
  const wasLost = !$("banner").hidden;
  $("banner").hidden = true;
  if (wasLost) announce("Connected again.");
  // Who looks at the end of a match may go on doing that.
  if (!room.match) lobby.look();
  else if (!room.match.result) {
    room.close();
    comeTo(recall().watched, "");
  }
}
