// What doesn't pass a check yet: for each check the files, by the ends of their paths ("*": all), and why.

/** The same reason for several files. */
const all = (why, ...files) => Object.fromEntries(files.map((file) => [file, why]));

export const later = {
  types: {
    ...all(
      "v51-boards draws these boards anew",
      "tictac/plugins/clue/game/page/board.js",
      "tictac/plugins/clue/game/page/case.js",
      "tictac/plugins/clue/game/page/mansion.js",
      "tictac/plugins/clue/game/page/notes.js",
      "tictac/plugins/games/nim/page/board.js",
    ),
    ...all(
      "v51-seat takes these modules apart",
      "js/actions.js",
      "js/after.js",
      "js/away.js",
      "js/end.js",
      "js/panel.js",
      "js/players.js",
      "js/seats.js",
      "js/stay.js",
      "js/table.js",
      "js/view.js",
      "js/yours.js",
    ),
    ...all(
      "v51-clubs draws these views anew",
      "js/cup.js",
      "js/cupdesk.js",
      "js/cupform.js",
      "js/cups.js",
      "js/screen.js",
      "js/tournament.js",
    ),
    ...all(
      "v51-lobby and v51-puzzle draw these views anew",
      "js/front.js",
      "js/leaders.js",
      "js/lobby.js",
      "js/mine.js",
      "js/player.js",
      "js/rooms.js",
      "js/rules.js",
      "js/shelves.js",
    ),
    ...all("needs the types of view.js, seats.js, and lobby.js", "js/main.js"),
  },
  eslint: {
    "js/actions.js": "v51-seat takes these modules apart",
    "js/players.js": "v51-seat takes these modules apart",
    "js/view.js": "v51-seat takes these modules apart",
    "js/shelves.js": "v51-lobby draws these views anew",
  },
  stylelint: {},
  prettier: {},
};
