// The views of what is past, which are fetched together when one of them is opened.

import { LeadersView } from "./leaders.js";
import { MatchView } from "./match.js";
import { PlayerView } from "./player.js";

/** By the first part of their paths. */
export const VIEWS = { match: MatchView, player: PlayerView, ratings: LeadersView };
