// Where it begins: the views, their addresses, and which of them is shown when.
//
// The page is modules without a library or bundler. It knows no rules: it offers the legal moves that the server
// sends. router.js opens the view of a path: open(...params) gets the other parts of the path, and close() leaves
// it. A view that isPublic needs no login.
//
// All texts stand in texts/en.json and de.json. say("table.viewers", { count }) returns a text with values; count
// selects a plural form. In index.html, {{lobby.title}} stands for a text. The sections "server" and "rules"
// translate what the server says in English; {1} is the first number of such a text.

import { addressOf } from "./actions.js";
import { Missing, read, waitBy } from "./archive.js";
import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { $, makeAvatar, show } from "./dom.js";
import { Front } from "./front.js";
import { offerKit } from "./kit.js";
import { fetchDaily, fetchDesk, fetchInvitation, fetchLobby, fetchPast } from "./late.js";
import { nameOf } from "./names.js";
import { keepPage } from "./offline.js";
import { ask } from "./question.js";
import { hasPage, pathTo, Router } from "./router.js";
import { Seats } from "./seats.js";
import { isKept, Lost, recall, Refused, Session } from "./session.js";
import { choose, chosen } from "./settings.js";
import { SignIn } from "./signin.js";
import { Left } from "./stay.js";
import { tellOfCups } from "./summons.js";
import { offerLanguages, say } from "./texts.js";
import { View } from "./view.js";

/** Milliseconds until the server is looked for again, at first and at most, where nobody is logged in. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 20_000;

offerKit();
const connection = new Connection("/ws");
const session = new Session(connection);
const atTable = () => router.at("room", addressOf(/** @type {Table} */ (view.table)));
const view = new View(
  session,
  atTable,
  backFromTable,
  (room, user) => lobby?.ratingOf(room, user) ?? "",
  register,
  (room) => seats.drop(room),
);
const seats = new Seats(session, view, (path) => router.go(path));
/**
 * @typedef {import("./lobby.js").Lobby} Lobby
 * @typedef {["ready" | "event", any]} Heard what the session has told, with its detail
 * @typedef {import("./state.js").Way} Way
 */

/**
 * The lobby, once it has arrived, and a promise of it; what it is to hear then; and the last thing that it is to show.
 * @type {[Lobby | null, Promise<Lobby> | null, Heard[], object | null]}
 */
let [lobby, coming, unheard, shown] = [null, null, [], null];
const signIn = new SignIn(session);
const front = new Front(playAsGuest);

/**
 * By the first part of their paths: see router.js.
 * @type {Record<string, Shown>}
 */
const views = {
  __proto__: /** @type {any} */ (null), // or it would know "constructor"
  "": { open: openHome, close: () => home.close((shown = null)), stranger: front },
  game: { open: openGame, close: () => (shown = null), stranger: front },
  admin: late("admin", false),
  room: {
    stranger: late("invitation", true, fetchInvitation),
    open: openRoom,
    close: () => {
      shown = null;
      view.putAside();
    },
  },
};
for (const name of "import ladder match nowhere player privacy programs ratings rules tournament tournaments watch".split(" "))
  views[name] = late(name);
for (const name of ["mine", "notice", "notices"]) views[name] = late(name, true, () => seats.fetchYours());
// Addresses that people type. Who isn't logged in meets the gate.
views.login = { open: () => router.replace("/"), close() {} };
views.register = { ...views.login, stranger: { ...views.login, open: openRegister } };
views.settings = { ...views.login, open: openSettings };
views.settings.stranger = views.settings;
views.code = late("code", true, fetchDesk);
views.desk = late("desk", false, fetchDesk);
views.puzzle = late("puzzle", true, fetchDaily);
const home = late("home", false, () => seats.fetchYours());
/** @type {Router & { shut(why?: string): void }} */
const router = new Router(views, signIn, () => Boolean(session.user));

const tell = tellOfCups(
  session,
  () => view.isPlaying,
  (path) => router.go(path),
);
router.changed = () => {
  tell();
  seats.render();
};
router.toBoard = () => seats.toBoard();

let tries = 0;
let trying = 0;
// A pass came with the login, or will: the gate's visitor opens the view again.
waitBy(
  () =>
    new Promise((resolve, reject) => {
      if (session.isGuest && connection.isOpen) reject(new Missing("not-logged-in"));
      else if (session.user) session.addEventListener("ready", resolve, { once: true });
      else router.shut();
    }),
);
addEventListener("unhandledrejection", (event) => event.reason instanceof Left && event.preventDefault());
addEventListener("unreachable", () => miss());
connection.addEventListener("lost", ({ detail }) => {
  // Where nobody comes back by itself; who was kicked reads it at the login.
  if (!session.user && detail.reason !== "kicked") miss(detail);
});
session.addEventListener("greeted", () => session.user || find());
session.addEventListener("called", showUser);
session.addEventListener("ready", ({ detail }) => {
  unheard = [];
  tellLobby("ready", detail);
  ready(detail);
});
session.addEventListener("lost", ({ detail }) => {
  // Who looks at the lobby for long says nothing there: that is nothing to tell.
  if (detail.reason !== "idle-timeout") banner.sayLost(detail);
  connection.isUrgent = view.isSeated;
  // An app that is opened without a connection shows what this device has kept.
  if (isKept() && location.pathname === "/" && !document.querySelector(".view:not([hidden])")) router.replace("/mine");
});
session.addEventListener("event", ({ detail }) => tellLobby("event", detail));
session.addEventListener("event", ({ detail: { event, text, seconds } }) => {
  if (event === "announced") banner.sayAnnounced(text);
  if (event === "stopping") banner.sayAnnounced(say("connection.stopping", { seconds: Math.ceil(seconds) }));
});
session.addEventListener("ended", (event) => leave(event.detail));
$("try-now").addEventListener("click", () => (session.user && !connection.isOpen ? connection.tryNow() : look()));
const chores = {
  "to-log-in": () => logOut(),
  "to-settings": () => $("settings").showModal(),
  "change-password": () =>
    fetchPast().then(
      ({ openPassword }) => openPassword(session),
      () => banner.sayUnreachable({}),
    ),
  "log-out": () => logOut(),
  "log-out-everywhere": () => logOut(true),
};
for (const [id, work] of Object.entries(chores)) $(id).addEventListener("click", work);
// Before what was chosen, so that a dialog gives the focus back to the button of the menu.
$("menu").addEventListener("click", () => $("menu").hidePopover(), true);
$("menu").addEventListener("toggle", ({ newState }) => newState === "closed" && $("menu").classList.remove("above"));
$("to-sign-in").addEventListener("click", () => router.shut());
$("theme").addEventListener("click", () => choose("theme", isDark() ? "light" : "dark"));
for (const select of document.querySelectorAll(/** @type {"select"} */ (".languages"))) offerLanguages(select);
$("you").addEventListener("click", (event) => {
  if (session.user && !session.isGuest) return; // it leads to their page
  event.preventDefault();
  $("menu").classList.add("above");
  if (session.user) $("menu").showPopover();
  else router.shut();
});
$("talk").addEventListener("click", ({ target }) => {
  const by = /** @type {HTMLButtonElement | null} */ (target.closest("button.by"));
  if (by && by.value !== session.user)
    fetchPast().then(
      ({ openAbout }) => openAbout(session, by.value, view.table?.room),
      () => banner.sayUnreachable({}),
    );
});
for (const type of ["pointerdown", "keydown"])
  addEventListener(type, () => document.documentElement.toggleAttribute("data-pointed", type === "pointerdown"), true);
addEventListener("load", keepPage);
comeLobby().catch(() => {});
const isBack = session.resume();
showUser();
if (!isBack || router.isPublic) router.follow();

/**
 * A promise of the lobby, which rejects with a TypeError without a connection.
 * @returns {Promise<Lobby>}
 */
function comeLobby() {
  coming ??= fetchLobby().then((/** @type {typeof import("./lobby.js")} */ { Lobby }) => {
    lobby = new Lobby(
      session,
      (/** @type {Expected} */ expected) => view.expect(expected),
      (/** @type {?Way} */ request) => (view.table ? view.goBack(request, true) : request && /** @type {Lobby} */ (lobby).ask(request)),
      () => view.isPlaying,
      (/** @type {string} */ room) => view.table?.room === room,
      () => seats.toBoard(),
    );
    for (const told of unheard) lobby.heard(...told);
    return lobby;
  });
  coming.catch(() => (coming = null));
  return coming;
}

/** @type {(...told: Heard) => void} */
function tellLobby(...told) {
  if (lobby) return lobby.heard(...told);
  unheard.push(told);
  comeLobby().catch(() => {});
}

/**
 * Let the lobby show something: now, or when it has arrived, unless another view is shown by then.
 * @param {(lobby: Lobby) => unknown} work
 */
async function showLobby(work) {
  if (lobby) return work(lobby);
  const mine = (shown = {});
  try {
    await comeLobby();
  } catch {
    return miss();
  }
  if (mine === shown) work(/** @type {any} */ (lobby));
}

/** @param {boolean} [everywhere] */
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
  const no = say("table.playOn");
  if (session.isGuest) return ask({ title: say("page.askGuestTitle"), text: say("page.askGuest"), yes: say("signIn.logIn"), no });
  return ask({ title: say("page.askTitle"), text: say("page.ask"), yes: say("page.logOut"), no });
}

/**
 * Let a stranger in, for a room if there is a request; what is to be said if that isn't possible.
 * @param {Way | null} request
 */
async function playAsGuest(request) {
  try {
    await session.connect();
    await session.greeted;
    if (request?.do === "seek" && !session.guests) return void router.shut(say("front.account"));
    await session.enter({ do: "guest" });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Lost)) throw error;
    return error.message;
  }
  if (request) await (await comeLobby()).ask(request);
}

/** The server couldn't be asked for something: say so, and look for it by and by, unless the session does. */
function miss(detail = {}) {
  router.miss();
  if (session.user && !connection.isOpen) return;
  banner.sayUnreachable(detail);
  trying ||= setTimeout(look, Math.min(FIRST_PAUSE * 2 ** tries++, LONGEST_PAUSE));
}

/** Look whether the server is there again. */
function look() {
  clearTimeout(trying);
  trying = 0;
  if (router.isShut)
    session.connect().catch(() => {}); // it is greeted, or that is said again
  else read(["lobby"]).then(find, () => {});
}

/** The server is there again: what is shown lacks nothing any longer. */
function find() {
  clearTimeout(trying);
  tries = trying = 0;
  banner.sayFound();
  router.retry();
}

/**
 * Somebody is logged in, for the first time or again.
 * @param {Ready} ready
 */
function ready({ seats: told, mine, desk }) {
  if (desk)
    fetchDesk().then(
      ({ addWay }) => addWay(session),
      () => {},
    );
  seats.learn(told);
  if (mine) seats.fetchYours().catch(() => {});
  find();
  showUser();
  if (view.table?.isAway) view.comeBack();
  router.follow();
  seats.rejoin();
}

/** Show who is logged in, if anybody is, and what they can do. */
function showUser() {
  const { user, called, isGuest } = session;
  $("who").hidden = $("menu").hidden = !user;
  $("to-sign-in").hidden = Boolean(user);
  $("user").textContent = nameOf(called);
  $("user-avatar").replaceWith(Object.assign(makeAvatar(called || " ", "small"), { id: "user-avatar" }));
  $("own-page").href = pathTo("player", user);
  $("you").href = pathTo("player", isGuest || !hasPage(user) ? "" : user);
  for (const id of ["to-notices", "change-password", "log-out", "log-out-everywhere"]) $(id).hidden = isGuest;
  $("to-log-in").hidden = !isGuest;
  $("own-page").hidden = isGuest || !hasPage(user);
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Nobody is logged in.
 * @param {string} error
 */
function leave(error) {
  view.close();
  showUser();
  banner.forget();
  if (!router.isPublic) router.shut(error);
  else if (error) banner.sayAnnounced(error);
}

/**
 * A view, mostly for everybody, which is fetched when it is opened.
 * @param {string} name
 * @param {boolean} [isPublic]
 * @param {() => Promise<any>} [fetch]
 * @returns {Shown & { close(done?: unknown): void }}
 */
function late(name, isPublic = true, fetch = fetchPast) {
  /** @type {any} a class of its module */
  let view, wanted;
  return {
    isPublic,
    /** @param {...string} params */
    async open(...params) {
      const mine = (wanted = {});
      try {
        const { VIEWS } = await fetch();
        view ??= new VIEWS[name](
          session,
          (/** @type {string} */ why) => router.shut(why),
          (/** @type {string} */ path) => router.at(name, path),
          watchRoom,
          () => playAsGuest(null),
          async (/** @type {any[]} */ ...words) => (await comeLobby()).challenge(...words),
          (/** @type {string} */ path) => router.replace(path),
          play,
        );
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has arrived
        return miss();
      }
      return wanted !== mine || view.open(...params);
    },
    close() {
      wanted = null;
      view?.close();
    },
  };
}

/**
 * @param {string} game
 * @param {string} [against] a way of the form (form.js), or a level of the computer
 */
function openGame(game, against) {
  if (seats.goBack()) return;
  return showLobby((it) => {
    it.open();
    if (game) it.choose(game, against);
  });
}

function openRegister() {
  router.shut();
  signIn.register();
}

function openSettings() {
  router.replace("/");
  $("settings").showModal();
}

/** Who has played comes home; others to the lobby. */
async function openHome() {
  if (seats.goBack()) return;
  const hasPlayed = chosen("played");
  if (hasPlayed) show("home"); // what was shown is closed, and moves
  if (!hasPlayed || !(await home.open())) showLobby((it) => it.open());
  // Perhaps elsewhere: then it is known the next time.
  if (!session.isGuest && !hasPlayed)
    session.ask({ do: "record" }).then(
      ({ record }) => choose("played", record.map(({ game }) => game).join(" ")),
      () => {},
    );
}

/**
 * Open a room from another view; in the lobby, if that is refused. A promise of what is wrong, for a stranger.
 * @param {Way} request
 */
async function play(request) {
  if (!session.user) return playAsGuest(request);
  await (await comeLobby()).ask(request);
  const { textContent } = $("lobby-note");
  if (textContent) /** @type {Lobby} */ (lobby).open(textContent);
}

/**
 * To a table by its link; to one that is shown already there is nothing to do.
 * @param {string} room
 * @param {string | null} [key]
 */
function openRoom(room, key = null) {
  if ((view.table?.room === room && !view.isAside) || seats.goBack(room)) return;
  const { table } = recall();
  if (table?.room === room) return void view.reopen(table); // which one has watched
  if (!view.isPlaying) view.close();
  seats.rejoin();
  return showLobby((it) => {
    it.open();
    it.ask({ do: "join", room, key }, true);
  });
}

/**
 * For admins, whom the server lets into private rooms.
 * @param {string} room
 */
function watchRoom(room) {
  showLobby((it) => {
    it.open();
    it.ask({ do: "watch", room });
  });
}

/** Let a guest make an account. */
async function register() {
  await session.leave();
  signIn.forget();
  history.replaceState(null, "", "/");
  leave("");
  signIn.register();
}

/** @param {Way | null} [request] */
function backFromTable(request) {
  router.replace("/game");
  if (request)
    comeLobby().then(
      (it) => it.ask(request),
      () => miss(),
    );
}
