// Where it begins: the views, and which of them is shown when.

import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { ConnectFour } from "./connectfour/view.js";
import { $, announce } from "./dom.js";
import { Lobby } from "./lobby.js";
import { Nim } from "./nim/view.js";
import { Room } from "./room.js";
import { recall, Session } from "./session.js";
import { SignIn } from "./signin.js";
import { Tables } from "./tables/lobby.js";
import { Link } from "./tables/link.js";
import { TableView } from "./tables/view.js";

const connection = new Connection("/ws/rooms");
const session = new Session(connection);
const room = new Room(session, back);
const lobby = new Lobby(session, enter);
const signIn = new SignIn(session, welcome);
const tableConnection = new Connection("/ws");
const link = new Link(tableConnection, () => session.account);
const tables = new TableView(link, atTable, () => lobby.open());
new Tables(link, () => session.user);
// Each of these has an address, so that one comes to it by a link, and back as the browser does.
const games = {
  "#/connect-four": new ConnectFour(() => session.user, goHome),
  "#/nim": new Nim(goHome),
};
let game = null;
// Why nobody is logged in now, when that has happened during a game.
let ended = "";

session.addEventListener("event", (event) => room.apply(event.detail));
session.addEventListener("lost", (event) => lost(event.detail));
session.addEventListener("restored", restored);
session.addEventListener("leaving", () => {
  room.forfeit();
  tables.close();
});
session.addEventListener("ended", (event) => leave(event.detail));
link.addEventListener("ready", tablesReady);
link.addEventListener("lost", ({ detail: { delay, reason } }) => {
  // Who looks at the lobby for long says nothing there: that is nothing to tell.
  if (reason !== "idle-timeout") banner.sayLost(tableConnection, delay);
  tableConnection.isUrgent = tables.isPlaying;
});
$("log-out").addEventListener("click", () => {
  session.logOut();
  signIn.forget();
  goHome();
  leave("");
});
addEventListener("hashchange", follow);

if (games[location.hash]) follow();
else signIn.open();

/** Go where the address says. */
function follow() {
  const wanted = games[location.hash] ?? null;
  if (wanted === game || (!wanted && location.hash)) return; // within a view
  const isSeated = tables.isPlaying || (room.match && !room.match.result);
  if (wanted && isSeated) return goHome(); // a seat isn't left like that
  game?.close();
  game = wanted;
  if (!game) return open();
  lobby.pause();
  room.close();
  tables.close();
  game.open();
}

/** Away from the address of a game. */
function goHome() {
  history.replaceState(null, "", location.pathname);
  follow();
}

/** What is shown when no game is. */
function open() {
  if (session.user) lobby.open();
  else signIn.open(ended);
  ended = "";
}

/** Somebody is logged in, for the first time or after a reload. */
function welcome() {
  $("who").hidden = false;
  $("user").textContent = session.user;
  if (!game) comeTo(recall().place);
  link.open();
}

/** Nobody is logged in. */
function leave(error) {
  room.close();
  tables.close();
  link.close();
  lobby.pause();
  $("who").hidden = true;
  for (const one of [connection, tableConnection]) banner.forget(one);
  if (game) ended = error;
  else signIn.open(error);
}

function enter(name, role) {
  // A link may have been followed while the server was asked: then the room comes first.
  history.replaceState(null, "", location.pathname);
  game?.close();
  game = null;
  room.open(name, role);
}

/** A table is about to be shown. */
function atTable() {
  history.replaceState(null, "", location.pathname);
  game?.close();
  game = null;
  room.close();
  lobby.pause();
}

/** The tables are there, for the first time or again. */
function tablesReady() {
  banner.sayFound(tableConnection);
  const { table } = recall();
  if (table && !tables.table && !game && !room.match) tables.reopen(table);
}

/** Back from a room. */
function back(again) {
  lobby.open();
  if (again) lobby.playComputer();
}

/** Go where the visitor was: to a seat, to the room that was watched, or into the lobby. */
function comeTo(place) {
  if (place && place.role !== "viewer") return room.reopen(place);
  lobby.open();
  if (place) lobby.join(place.room, "VIEWER");
}

function lost({ delay }) {
  banner.sayLost(connection, delay);
  lobby.pause();
  room.cut();
  connection.isUrgent = room.isAway;
}

function restored() {
  banner.sayFound(connection);
  // Who looks at the end of a match may go on doing that.
  if (!room.match) lobby.look();
  else if (room.isAway) room.comeBack();
  else if (!room.match.result) {
    room.close();
    comeTo(recall().place);
  }
}
