// Where it begins: the views, their addresses, and which of them is shown when.

import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { $ } from "./dom.js";
import { Lobby } from "./lobby.js";
import { pathTo, Router } from "./router.js";
import { recall, Session } from "./session.js";
import { SignIn } from "./signin.js";
import { addressOf, View } from "./view.js";

const connection = new Connection("/ws");
const session = new Session(connection);
const view = new View(session, () => router.at("room", addressOf(view.table)), backFromTable);
const lobby = new Lobby(session, (expected) => view.expect(expected));
const signIn = new SignIn(session);

/** By the first part of their paths: see router.js. */
const views = {
  "": { open: () => lobby.open(), close() {} },
  game: { open: openGame, close() {} },
  match: lazy(async () => {
    const { MatchView } = await import("./match.js");
    return new MatchView(session, () => router.shut(), (path) => router.at("match", path));
  }),
  player: lazy(async () => new (await import("./player.js")).PlayerView()),
  ratings: lazy(async () => new (await import("./leaders.js")).LeadersView()),
  room: {
    open: openRoom,
    close: () => view.close(),
    resign: () => view.resign(),
    get isPlaying() {
      return view.isPlaying;
    },
  },
};
const router = new Router(views, signIn, () => Boolean(session.user));

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
  history.replaceState(null, "", "/");
  leave("");
});
router.follow();

/** Somebody is logged in, for the first time or again. */
function ready() {
  banner.sayFound();
  $("who").hidden = false;
  $("user").textContent = session.user;
  $("user").href = pathTo("player", session.user);
  if (view.table?.isAway) return view.comeBack();
  const { table } = recall();
  if (table && !view.table) return view.reopen(table);
  router.follow();
}

/** Nobody is logged in. */
function leave(error) {
  $("who").hidden = true;
  banner.forget();
  router.shut(error);
}

/** A view for everybody, which is loaded when it is opened for the first time. */
function lazy(load) {
  let loading, view, wanted;
  return {
    isPublic: true,
    async open(...params) {
      const mine = (wanted = {});
      view = await (loading ??= load());
      if (wanted === mine) view.open(...params);
    },
    close() {
      wanted = null;
      view?.close();
    },
  };
}

function openGame(game) {
  lobby.open();
  lobby.choose(game);
}

/** To a table by its link; to one that is shown already there is nothing to do. */
function openRoom(room, key = null) {
  if (view.table?.room === room) return;
  view.close();
  lobby.open();
  lobby.ask({ do: "join", room, key }, true);
}

function backFromTable(request) {
  router.replace("/");
  if (request) lobby.ask(request);
}
