// Where it begins: the views, their addresses, and which of them is shown when.

import { addressOf } from "./actions.js";
import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { $ } from "./dom.js";
import { Lobby } from "./lobby.js";
import { offerKit } from "./kit.js";
import { keepPage } from "./offline.js";
import { ask } from "./question.js";
import { pathTo, Router } from "./router.js";
import { recall, Session } from "./session.js";
import { SignIn } from "./signin.js";
import { say } from "./texts.js";
import { View } from "./view.js";

offerKit();
const connection = new Connection("/ws");
const session = new Session(connection);
const atTable = () => router.at("room", addressOf(view.table));
const view = new View(session, atTable, backFromTable, (room, user) => lobby.ratingOf(room, user));
const lobby = new Lobby(session, (expected) => view.expect(expected));
const signIn = new SignIn(session);

/** By the first part of their paths: see router.js. */
const views = {
  "": { open: () => lobby.open(), close() {} },
  game: { open: openGame, close() {} },
  admin: late("admin", false),
  match: late("match"),
  player: late("player"),
  ratings: late("ratings"),
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

connection.addEventListener("lost", ({ detail }) => {
  // Where nobody comes back by itself; who was kicked reads it at the login.
  if (!session.user && detail.reason !== "kicked") banner.sayUnreachable(detail);
});
session.addEventListener("greeted", () => session.user || banner.sayFound());
session.addEventListener("ready", ready);
session.addEventListener("lost", ({ detail }) => {
  // Who looks at the lobby for long says nothing there: that is nothing to tell.
  if (detail.reason !== "idle-timeout") banner.sayLost(detail);
  connection.isUrgent = view.isSeated;
});
session.addEventListener("event", ({ detail: { event, text, seconds } }) => {
  if (event === "announced") banner.sayAnnounced(text);
  if (event === "stopping") banner.sayAnnounced(say("connection.stopping", { seconds: Math.ceil(seconds) }));
});
session.addEventListener("ended", (event) => leave(event.detail));
$("try-now").addEventListener("click", () => {
  if (session.user) connection.tryNow();
  else session.connect().catch(() => {}); // and so it is said again
});
$("log-out").addEventListener("click", () => logOut());
$("log-out-everywhere").addEventListener("click", () => logOut(true));
addEventListener("load", keepPage);
if (!session.resume() || router.isPublic) router.follow();

async function logOut(everywhere) {
  if (view.isPlaying && !(await isSureToLogOut())) return;
  view.close();
  await session.leave(everywhere);
  signIn.forget();
  history.replaceState(null, "", "/");
  leave("");
}

/** Whether the visitor means it, in a match that is lost then. */
function isSureToLogOut() {
  const answers = { yes: say("page.logOut"), no: say("table.playOn") };
  return ask({ title: say("page.askTitle"), text: say("page.ask"), ...answers });
}

/** Somebody is logged in, for the first time or again. */
function ready() {
  banner.sayFound();
  $("who").hidden = false;
  $("user").textContent = session.user;
  $("user").href = pathTo("player", session.user);
  $("log-out-everywhere").hidden = session.isGuest;
  if (view.table?.isAway) return view.comeBack();
  const { table } = recall();
  // A viewer may have gone elsewhere by an address, and a player comes back from anywhere.
  const isWanted = table && (table.seat !== null || location.pathname === addressOf(table));
  if (isWanted && !view.table && !router.isPublic) return view.reopen(table);
  router.follow();
}

/** Nobody is logged in. */
function leave(error) {
  $("who").hidden = true;
  banner.forget();
  if (!router.isPublic) router.shut(error);
  else if (error) banner.sayAnnounced(error);
}

/** A view, mostly for everybody, which is fetched when it is opened. */
function late(name, isPublic = true) {
  let view, wanted;
  return {
    isPublic,
    async open(...params) {
      const mine = (wanted = {});
      try {
        const { VIEWS } = await import("./past.js");
        view ??= new VIEWS[name](session, () => router.shut(), (path) => router.at(name, path), watchRoom);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has arrived
        return banner.sayUnreachable({});
      }
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

/** For admins, whom the server lets into private rooms. */
function watchRoom(room) {
  lobby.open();
  lobby.ask({ do: "watch", room });
}

function backFromTable(request) {
  router.replace("/");
  if (request) lobby.ask(request);
}
