// What lies on the table: the trick, piles, dice, a score sheet, the sea. It is drawn anew for each position; what can be
// pointed at is a button.

import { cardsIn, drawCard, drawSuit, nameOf, showCards } from "./cards.js";
import { draw, make, say } from "./page.js";
import { drawDie } from "./pieces.js";

/** @type {Record<string, string>} */
const CATEGORIES = {
  ones: "Ones",
  twos: "Twos",
  threes: "Threes",
  fours: "Fours",
  fives: "Fives",
  sixes: "Sixes",
  four: "4Kind",
  full: "Full",
  small: "SmStr",
  large: "LgStr",
  chance: "Chance",
  yacht: "Yacht",
};
const SHIPS = [2, 3, 3, 4, 5];
const COLUMNS = "abcdefghij";

/** The middle of the table. `step(name)` is called for what is pointed at. */
export class Felt {
  element = make("div", { class: "baize" });
  hint = "";
  #show;
  #step;
  /** @type {Set<string>} */
  #piles = new Set();

  /**
   * @param {string} name
   * @param {(step: string) => void} step
   */
  constructor(name, step) {
    this.#show = FELTS[name];
    this.#step = step;
  }

  /**
   * Whether a move is made by pointing at a pile.
   * @param {string} move
   */
  has(move) {
    return this.#piles.has(move);
  }

  /**
   * Draw it; rows of buttons that arrow keys walk over.
   * @param {Standing} table
   * @param {Spiel.Notes} notes
   * @param {{ open: Set<string>, picked: string[] }} marked
   */
  show(table, notes, { open, picked }) {
    this.hint = "";
    this.#piles.clear();
    /** @type {HTMLElement[][]} */
    const rows = [];
    /**
     * @param {string} name
     * @param {string} label
     * @param {Child[]} inside
     * @param {string} [kind]
     * @param {boolean} [isOpen]
     */
    const spot = (name, label, inside, kind = "", isOpen = open.has(name)) => {
      const button = make("button", { type: "button", class: `felt-spot ${kind}` }, ...inside);
      const isPicked = picked.includes(name);
      button.dataset.name = name;
      button.classList.toggle("picked", isPicked);
      button.setAttribute("aria-disabled", String(!isOpen));
      button.setAttribute("aria-label", [label, isPicked ? say("chosen") : ""].filter(Boolean).join(", "));
      button.addEventListener("click", () => button.getAttribute("aria-disabled") === "false" && this.#step(name));
      return button;
    };
    /**
     * @param {string} move
     * @param {string} label
     * @param {Child[]} inside
     */
    const pile = (move, label, inside) => {
      this.#piles.add(move);
      const isOpen = table.can.includes(move);
      const button = spot(move, label, inside, "pile", isOpen);
      button.classList.toggle("can", isOpen);
      return button;
    };
    const parts = this.#show({ table, notes, spot, pile, piles: this.#piles, rows, tell: (hint) => (this.hint = hint) });
    this.element.replaceChildren(.../** @type {Child[]} */ (parts.filter(Boolean)));
    return rows;
  }
}

/** @param {string} hand */
const count = (hand) => (/^\d+$/.test(hand) ? Number(hand) : cardsIn(hand));

/**
 * A player in a few words.
 * @param {Standing} table
 * @param {number} seat
 */
function who(table, seat) {
  return seat === table.seat ? say("you") : (table.names[seat] ?? "");
}

/**
 * The cards of the others: backs, or cards that are open now.
 * @param {Spiel.Laying} all
 */
function showOthers({ table, notes }) {
  const me = table.seat ?? -1;
  const others = notes.hand.flatMap((hand, seat) => {
    if (seat === me) return [];
    const cards = hand === "-" ? 0 : count(hand);
    const label = make("span", { class: "felt-name", "aria-hidden": "true" }, who(table, seat));
    const kinds = `fan${table.turn === seat ? " turn" : ""}`;
    return [make("div", { class: kinds }, label, showCards(cards, "small", who(table, seat)))];
  });
  return others.length ? make("div", { class: "felt-others" }, ...others) : null;
}

/**
 * @param {string} text
 * @param {...Child} inside
 */
const label = (text, ...inside) => make("div", { class: "felt-item" }, ...inside, make("span", { class: "felt-label" }, text));
const slot = () => make("span", { class: "slot" });
/**
 * @param {string | undefined} card
 * @param {string} [kind]
 */
const one = (card, kind = "") => (card ? showCards([card], kind) : slot());

/**
 * The trick, each card before its player; and the one before.
 * @param {Spiel.Laying} all
 * @param {...Child} beside
 */
function showTrick({ table, notes }, ...beside) {
  const seats = notes.hand.length;
  const near = table.seat ?? 0;
  const [lead, cards] = (notes.trick[0] === "-" ? "" : notes.trick[0]).split(":");
  const first = "ABCDEFG".indexOf(lead || "?");
  const places = notes.hand.map((_, seat) => {
    const card = lead ? cardsIn(cards)[(seat - first + seats) % seats] : null;
    const turn = ((seat - near + seats) % seats) / seats;
    const place = make(
      "div",
      { class: `ring-place${table.turn === seat ? " turn" : ""}` },
      card ? showCards([card], "", who(table, seat)) : slot(),
      make("span", { class: "felt-name", "aria-hidden": String(Boolean(card)) }, who(table, seat)),
    );
    place.style.setProperty("--x", (-Math.sin(2 * Math.PI * turn)).toFixed(3));
    place.style.setProperty("--y", Math.cos(2 * Math.PI * turn).toFixed(3));
    return place;
  });
  const [, last] = notes.last[0].split(":");
  const before = last ? [label(say("lastTrick"), showCards(cardsIn(last), "small"))] : [];
  const corner = make("div", { class: "corner" }, ...before, ...beside);
  return [make("div", { class: "ring" }, ...places), corner];
}

/**
 * Bars to the points that win.
 * @param {{ table: Standing, notes: Spiel.Notes }} all
 * @param {number} goal
 * @param {number} [more]
 */
function showScores({ table, notes }, goal, more = 0) {
  const bars = notes.score.map((score, seat) => {
    const won = Number(score);
    const name = make("span", { class: "felt-name" }, who(table, seat));
    const bar = draw(
      "svg",
      { class: "score-bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { class: "way", width: 100, height: 6 }),
      draw("rect", { class: "more", width: Math.min(100, (100 * (won + (table.turn === seat ? more : 0))) / goal), height: 6 }),
      draw("rect", { class: "won", width: Math.max(0, Math.min(100, (100 * won) / goal)), height: 6 }),
    );
    return make("li", { class: table.turn === seat ? "turn" : "" }, name, bar, make("b", {}, score));
  });
  return make("ul", { class: "felt-scores" }, ...bars);
}

/** @type {Record<string, (all: Spiel.Laying) => (Child | null)[]>} */
const FELTS = {
  /** @param {Spiel.Laying} all */
  pig({ table, notes }) {
    const rolled = / \| (\d)/.exec(table.last ?? "")?.[1];
    const number = rolled === undefined ? null : Number(rolled) + 1;
    const die = number ? drawDie(number) : slot();
    die.classList.add("large");
    const turn = Number(notes.turn[0]);
    const words = number === 1 && turn === 0 ? say("lost") : say("turn", { count: turn });
    return [
      make("div", { class: "felt-dice" }, die, make("b", { class: "felt-turn" }, words)),
      showScores({ table, notes }, table.options?.score ?? 100, turn),
    ];
  },

  /** @param {Spiel.Laying} all */
  yacht({ table, notes, spot, rows, piles, tell }) {
    const {
      dice: [dice],
      rolls: [rolls],
    } = notes;
    const numbers = dice.split("-").map(Number);
    const line = numbers[0]
      ? numbers.map((number, at) => spot(`die${at + 1}`, say("dieOf", { number: at + 1, value: number }), [drawDie(number)], "die-spot"))
      : [];
    if (line.length) rows.push(line);
    if (table.isMyTurn && notes.doing === "roll") tell(say("todo.yacht.roll", { count: 3 - Number(rolls) }));
    const head = make(
      "tr",
      {},
      make("th", { scope: "col" }, say("category")),
      ...notes.sheet.map((_, seat) => make("th", { scope: "col", class: table.turn === seat ? "turn" : "" }, who(table, seat))),
    );
    const sheets = notes.sheet.map((sheet) => Object.fromEntries(sheet === "-" ? [] : sheet.split("+").map((each) => each.split(":"))));
    const body = Object.entries(CATEGORIES).map(([step, key]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, say(`steps.${step}`)),
        ...sheets.map((sheet, seat) => {
          if (sheet[key] !== undefined || seat !== table.turn || !table.can.includes(step)) return make("td", {}, sheet[key] ?? "");
          const value = scoreOf(step, numbers);
          piles.add(step);
          const button = spot(step, say("take", { category: say(`steps.${step}`), count: value }), [String(value)], "fill", true);
          button.dataset.step = step;
          rows.push([button]);
          return make("td", {}, button);
        }),
      ),
    );
    const foot = make(
      "tr",
      {},
      make("th", { scope: "row" }, say("total")),
      ...notes.score.map((score) => make("td", {}, make("b", {}, score))),
    );
    return [
      make("div", { class: "felt-dice" }, ...line),
      make("table", { class: "felt-sheet" }, make("thead", {}, head), make("tbody", {}, ...body), make("tfoot", {}, foot)),
    ];
  },

  /** @param {Spiel.Laying} all */
  hearts(all) {
    const way = all.notes.way[0];
    const asked = way !== "none" && all.notes.doing === "pass" ? [make("span", { class: "felt-note" }, say(`ways.${way}`))] : [];
    return showTrick(all, ...asked);
  },

  /** @param {Spiel.Laying} all */
  ohhell(all) {
    const [trump] = cardsIn(all.notes.trump[0]);
    return showTrick(all, ...(trump ? [label(say("trump"), one(trump))] : []));
  },

  /** @param {Spiel.Laying} all */
  ginrummy(all) {
    const {
      notes: {
        upcard,
        pile: [laid],
        stock,
        knock,
        melds,
      },
      table,
      pile,
    } = all;
    const up = upcard[0] === "-" ? cardsIn(laid).at(-1) : upcard[0];
    const laidDown = melds.flatMap((each, seat) =>
      each === "-"
        ? []
        : [
            make(
              "div",
              { class: "fan" },
              make("span", { class: "felt-name" }, who(table, seat)),
              ...each.split("+").map((meld) => showCards(cardsIn(meld), "small")),
            ),
          ],
    );
    return [
      showOthers(all),
      make(
        "div",
        { class: "felt-row" },
        label(
          say("stock", { count: Number(stock[0]) }),
          pile("draw stock", say("drawStock", { count: Number(stock[0]) }), [drawCard(null)]),
        ),
        label(say("upcard"), pile("draw upcard", up ? say("drawCard", { card: nameOf(up) }) : say("noCard"), [up ? drawCard(up) : slot()])),
      ),
      laidDown.length ? make("div", { class: "felt-others melds" }, ...laidDown) : null,
      make("span", { class: "felt-note" }, say("knockAt", { count: Number(knock[0]) })),
    ];
  },

  /** @param {Spiel.Laying} all */
  crazyeights(all) {
    const {
      notes: {
        last: [last],
        suit: [suit],
        stock: [stock],
      },
      pile,
    } = all;
    return [
      showOthers(all),
      make(
        "div",
        { class: "felt-row" },
        label(say("stock", { count: Number(stock) }), pile("draw", say("drawStock", { count: Number(stock) }), [drawCard(null)])),
        label(say("lastCard"), one(cardsIn(last)[0])),
        /[scdh]/.test(suit) ? label(say("suitNow"), drawSuit(suit), make("span", { class: "visually-hidden" }, say(`suits.${suit}`))) : "",
      ),
    ];
  },

  /** @param {Spiel.Laying} all */
  cribbage(all) {
    const {
      notes: {
        starter: [starter],
        total: [total],
        played: [played],
        crib: [crib],
        dealer: [dealer],
      },
      table,
    } = all;
    const laid = cardsIn(played);
    return [
      showOthers(all),
      make(
        "div",
        { class: "felt-row" },
        label(say("starter"), one(cardsIn(starter)[0])),
        label(say("played", { count: Number(total) }), laid.length ? showCards(laid, "lapped") : slot()),
        label(
          say("cribOf", { user: who(table, "ABCDEFG".indexOf(dealer)) }),
          Number(crib) ? showCards(Number(crib), "lapped small") : slot(),
        ),
      ),
      showScores(all, 121),
    ];
  },

  /** @param {Spiel.Laying} all */
  holdem(all) {
    const {
      notes: {
        board: [board],
        pot: [pot],
        put,
        round: [round],
        shown,
        lay: [lay],
      },
      table,
    } = all;
    const cards = cardsIn(board);
    const bets = put.map((chips, seat) =>
      make("span", { class: "felt-bet" }, make("span", { class: "felt-name" }, who(table, seat)), say("put", { count: Number(chips) })),
    );
    /** @param {string} each */
    const cardsOr = (each) => (each.length > 1 ? showCards(cardsIn(each), "small") : make("span", { class: "small" }, slot()));
    // It has its place from the beginning, so that nothing jumps.
    const before = make(
      "div",
      { class: `felt-row before${lay === "-" && shown[0] === "-" ? " none" : ""}` },
      ...put.map((_, seat) => label(who(table, seat), cardsOr(shown[seat] ?? "-"))),
      label(say("lastHand"), cardsOr(lay)),
    );
    return [
      showOthers(all),
      make("div", { class: "felt-row community" }, ...Array.from({ length: 5 }, (_, at) => one(cards[at]))),
      make("div", { class: "felt-row" }, make("b", { class: "felt-turn" }, say("pot", { count: Number(pot) })), ...bets),
      before,
      make("span", { class: "felt-note" }, say("handOf", { round: round.replace("/", " / ") })),
    ];
  },

  /** @param {Spiel.Laying} all */
  battleship({ table, notes, spot, rows, tell }) {
    const near = table.seat ?? 0;
    const isPlacing = notes.doing === "place";
    const large = isPlacing && table.seat !== null ? near : 1 - near;
    const waters = notes.waters.map((each) => each.split("/").map((row) => [...row]));
    const mine = new Set(waters[near].flat().filter((sign) => /[a-eX]/.test(sign)));
    if (isPlacing && table.isMyTurn) tell(say("todo.battleship.place", { count: SHIPS[mine.size] ?? 0 }));
    const cells = waters[large].map((line, row) =>
      line.map((sign, column) => {
        const name = `${COLUMNS[column]}${row + 1}`;
        return spot(
          name,
          `${name}, ${say(`sea.${seaOf(sign)}`)}`,
          [],
          `sea ${seaOf(sign)}${table.last === name && !isPlacing ? " last" : ""}`,
        );
      }),
    );
    rows.push(...cells);
    /** @param {number} seat */
    const titled = (seat) => say(seat === table.seat ? "ownSea" : "seaOf", { user: who(table, seat) });
    const grid = make(
      "div",
      { class: "sea-grid", role: "grid", "aria-label": titled(large) },
      ...cells.map((line, row) =>
        make(
          "div",
          { role: "row", class: "spiel-cell" },
          make("span", { role: "rowheader", class: "sea-head" }, String(row + 1)),
          ...line.map((cell) => make("div", { role: "gridcell", class: "spiel-cell" }, cell)),
        ),
      ),
    );
    const heads = make(
      "div",
      { class: "sea-heads", "aria-hidden": "true" },
      ...[..." ", ...COLUMNS].map((letter) => make("span", {}, letter)),
    );
    const hits = waters[1 - large].flat().filter((sign) => sign === "X").length;
    const small = drawSea(waters[1 - large], { role: "img", "aria-label": `${titled(1 - large)}: ${say("hits", { count: hits })}` });
    return [
      make("div", { class: "sea-main" }, make("span", { class: "felt-name" }, titled(large)), heads, grid),
      make("div", { class: "sea-other" }, make("span", { class: "felt-name", "aria-hidden": "true" }, titled(1 - large)), small),
    ];
  },
};

/** @param {string} sign */
const seaOf = (sign) => (sign === "X" ? "hit" : sign === "o" ? "miss" : sign === "." ? "free" : "ship");

/**
 * The sea of a player as a picture.
 * @param {string[][]} rows
 * @param {object} [box]
 */
function drawSea(rows, box = {}) {
  const cells = rows.flatMap((line, y) =>
    line.flatMap((sign, x) => {
      const kind = seaOf(sign);
      /** @type {Record<string, Element[]>} */
      const marks = {
        hit: [draw("path", { class: "cross", d: `M${x + 0.25} ${y + 0.25}l.5.5m0-.5l-.5.5` })],
        miss: [draw("circle", { class: "splash", cx: x + 0.5, cy: y + 0.5, r: 0.15 })],
      };
      return [draw("rect", { class: `water ${kind}`, x: x + 0.03, y: y + 0.03, width: 0.94, height: 0.94 }), ...(marks[kind] ?? [])];
    }),
  );
  return draw("svg", { class: "sea-picture", viewBox: "0 0 10 10", ...box }, ...cells);
}

/**
 * What a category of yacht scores with these dice, as OpenSpiel counts.
 * @param {string} category
 * @param {number[]} dice
 */
function scoreOf(category, dice) {
  /** @param {number} number */
  const many = (number) => dice.filter((each) => each === number).length;
  const total = dice.reduce((sum, each) => sum + each, 0);
  const counts = dice.map(many);
  const line = [...dice].sort().join("");
  const at = ["ones", "twos", "threes", "fours", "fives", "sixes"].indexOf(category) + 1;
  if (at) return at * many(at);
  /** @type {Record<string, boolean>} */
  const is = {
    chance: true,
    four: Math.max(...counts) >= 4,
    full: counts.includes(3) && counts.includes(2),
    small: line === "12345",
    large: line === "23456",
    yacht: counts.includes(5),
  };
  return is[category] ? (/** @type {any} */ ({ small: 30, large: 30, yacht: 50 })[category] ?? total) : 0;
}

/**
 * A position as a small picture: dice, the sea, or some cards.
 * @param {Spiel.Notes} notes
 * @param {string} name
 */
export function minis(notes, name) {
  const box = { class: `mini spiel-mini spiel-mini-table spiel-${name}`, viewBox: "0 0 120 120", "aria-hidden": "true" };
  const ground = draw("rect", { class: "felt-ground", width: 120, height: 120, rx: 8 });
  if (notes.waters) {
    const [own, other] = notes.waters.map((each, at) =>
      drawSea(
        each.split("/").map((row) => [...row]),
        { x: at ? 62 : 4, y: 32, width: 54, height: 54 },
      ),
    );
    return draw("svg", box, ground, own, other);
  }
  const dice = notes.dice?.[0].split("-").map(Number).filter(Boolean);
  if (dice || notes.turn) {
    const shown = dice?.length ? dice : [5, 3];
    return draw(
      "svg",
      box,
      ground,
      ...shown.map((number, at) => {
        const die = drawDie(number);
        for (const [key, value] of Object.entries({
          x: 8 + 38 * (at % 3),
          y: (shown.length > 3 ? 24 : 42) + 38 * Math.floor(at / 3),
          width: 32,
          height: 32,
        }))
          die.setAttribute(key, value);
        return die;
      }),
    );
  }
  const seen =
    ["trick", "board", "upcard", "last", "played", "starter", "lay"]
      .map((note) => cardsIn(notes[note]?.[0]))
      .find((cards) => cards.length) ?? [];
  const cards = seen.length ? seen.slice(-4) : [null, null, null];
  const wide = 44 + 18 * (cards.length - 1);
  return draw("svg", box, ground, ...cards.map((card, at) => drawCard(card, { x: 60 - wide / 2 + 18 * at, y: 29, width: 44, height: 62 })));
}
