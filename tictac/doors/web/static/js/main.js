// Where it begins: the views, which of them is shown when, and addresses.

import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { $ } from "./dom.js";
import { Lobby } from "./lobby.js";
import { recall, Session } from "./session.js";
import { SignIn } from "./signin.js";
import { addressOf, View } from "./view.js";

const connection = new Connection("/ws");
const session = new Session(connection);
const view = new View(session, atTable, backFromTable);
const lobby = new Lobby(session, (expected) => view.expect(expected));
const signIn = new SignIn(session);

session.addEventListener("ready", ready);
session.addEventListener("lost", ({ detail }) => {
  // Who looks at the lobby for long says nothing there: that is nothing to tell.
  if (detail.reason !== "idle-timeout") banner.sayLost(detail);
  connection.isUrgent = view.isSeated;
});
session.addEventListener("ended", (event) => leave(event.detail));
$("try-now").addEventListener("click", () => connection.tryNow());
$("log-out").addEventListener("click", () => {
  view.close();
  session.logOut();
  signIn.forget();
  history.replaceState(null, "", location.pathname);
  leave("");
});
addEventListener("popstate", follow);
signIn.open();

/** Somebody is logged in, for the first time or again. */
function ready() {
  banner.sayFound();
  $("who").hidden = false;
  $("user").textContent = session.user;
  if ($("sign-in").hidden) return view.table?.isAway && view.comeBack();
  const { table } = recall();
  if (table) return view.reopen(table);
  lobby.open();
  goTo(addressed());
}

/** Nobody is logged in. */
function leave(error) {
  view.close();
  $("who").hidden = true;
  banner.forget();
  signIn.open(error);
}

function atTable() {
  const address = addressOf(view.table);
  if (location.hash !== address) history.pushState(null, "", address);
}

function backFromTable(request) {
  history.replaceState(null, "", location.pathname);
  lobby.open();
  if (request) lobby.ask(request);
}

/** The browser goes to another address of the page, perhaps back. */
function follow() {
  const [wanted, { table }] = [addressed(), view];
  if (!session.user || (table && wanted.room === table.room)) return;
  if (view.isPlaying) {
    history.pushState(null, "", addressOf(table)); // a match isn't left like that
    return view.resign();
  }
  if (table) {
    view.close();
    lobby.open();
  }
  goTo(wanted);
}

/** To a table, or to the form with a game chosen. */
function goTo({ room, key, game }) {
  if (room) lobby.ask({ do: "join", room, key }, true);
  else if (game) lobby.choose(game);
}

/** What the address of the page names: a `room`, with the `key` if it is private, or a `game`. */
function addressed() {
  const [, place, room, key = null] = location.hash.replaceAll("%20", " ").split("/");
  return place === "room" && room ? { room, key } : { game: place?.replace("-", "") };
}
