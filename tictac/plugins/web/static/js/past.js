// The views that few need, of what is past, of tournaments and for admins: fetched together when one of them is opened.

import { openAbout as about } from "./about.js";
import { rate, restore } from "./after.js";
import { AdminView } from "./admin.js";
import { CupsView } from "./cups.js";
import { GuideView } from "./guide.js";
import { ImportView } from "./imported.js";
import { LadderView } from "./ladder.js";
import { LeadersView } from "./leaders.js";
import { MatchView } from "./match.js";
import { NowhereView } from "./nowhere.js";
import { openPassword as open } from "./password.js";
import { PlayerView } from "./player.js";
import { PrivacyView } from "./privacy.js";
import { ProgramsView } from "./programs.js";
import { Review } from "./review.js";
import { TournamentViews } from "./tournament.js";
import { WatchView } from "./watch.js";

/** By the first part of their paths. */
export const VIEWS = {
  admin: AdminView,
  import: ImportView,
  ladder: LadderView,
  match: MatchView,
  nowhere: NowhereView,
  player: PlayerView,
  privacy: PrivacyView,
  programs: ProgramsView,
  ratings: LeadersView,
  rules: GuideView,
  tournament: TournamentViews,
  tournaments: CupsView,
  watch: WatchView,
};

/** What tells of the end of a match. */
export const after = { rate, restore };

/**
 * What goes through a match in its room.
 * @param {Session} session
 * @param {(table: Table) => void} went
 */
export const newReview = (session, went) => new Review(session, went);

/**
 * What lets somebody change the password.
 * @param {Session} session
 */
export const openPassword = (session) => open(session);

/**
 * What offers to block, mute, or report a player.
 * @param {...any} words
 */
export const openAbout = (...words) => about(.../** @type {[any, any, any]} */ (words));
