// The views that few need, of what is past, of tournaments and for admins: fetched together when one of them is opened.

import { AdminView } from "./admin.js";
import { CupsView } from "./cups.js";
import { GuideView } from "./guide.js";
import { LeadersView } from "./leaders.js";
import { MatchView } from "./match.js";
import { PlayerView } from "./player.js";
import { TournamentViews } from "./tournament.js";

/** By the first part of their paths. */
export const VIEWS = {
  admin: AdminView, match: MatchView, player: PlayerView, ratings: LeadersView, rules: GuideView, tournament: TournamentViews, tournaments: CupsView,
};
