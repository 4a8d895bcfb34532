// What the page's modules may take for granted of the browser, and the names of types that many need.
// lib.dom.d.ts is stricter in three points than a page that knows its own document:
//
// 1. An id of index.html names an element, of a known kind (ids.d.ts, made by ids.js); an id that
//    is made of parts names one of any kind.
// 2. Elements that are found by a selector are those of HTML, unless something else is expected.
// 3. The target of an event that an element of HTML hears is such an element.

interface Document {
  getElementById<K extends keyof Ids>(id: K): Made<Ids[K] & keyof HTMLElementTagNameMap>;
  getElementById<S extends string>(id: S): {} extends Record<S, 1> ? any : HTMLElement;
  addEventListener<K extends keyof DocumentEventMap>(
    type: K,
    listener: (event: Heard<DocumentEventMap[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}

interface CSSStyleDeclaration {
  setProperty(property: string, value: string | number | null): void;
}

interface Navigator {
  /** Of Safari alone: whether the page stands on the home screen. */
  readonly standalone?: boolean;
}

interface Element {
  setAttribute(name: string, value: string | number): void;
  closest<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
}

/** An element of HTML, which hears events as point 3 says. */
type Made<K extends keyof HTMLElementTagNameMap> = HTMLElement & HTMLElementTagNameMap[K];

type Heard<E> = E & { readonly target: HTMLElement; readonly currentTarget: HTMLElement };

interface HTMLElement {
  addEventListener<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: Heard<HTMLElementEventMap[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** The events of the page's own, by name, with their details. */
interface Events {
  open: undefined;
  message: string;
  lost: Loss;
  greeted: undefined;
  ready: Ready;
  event: Wire.Event & { [field: string]: any };
  ended: string;
  called: undefined;
}

interface EventTarget {
  addEventListener<K extends keyof Events>(
    type: K,
    listener: (event: CustomEvent<Events[K]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof Events>(
    type: K,
    listener: (event: CustomEvent<Events[K]>) => void,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** How a connection was lost: milliseconds until the next try, and the server's reason. */
interface Loss {
  delay?: number;
  reason?: string;
}

/** What there is after a login. */
type Ready = Pick<Wire.Answers["login"], "seats" | "tournaments" | "mine" | "desk"> & {
  games: Wire.Game[];
  rooms: Wire.Summary[];
};

type Session = import("../../tictac/plugins/web/static/js/session.js").Session;

type Table = import("../../tictac/plugins/web/static/js/table.js").Table;
type Replay = import("../../tictac/plugins/web/static/js/replay.js").Replay;

/** What can be a child of an element. */
type Child = Node | string;

/** The properties and attributes that make() sets. */
type Properties<E> = { [K in keyof E]?: E[K] | string | number | boolean | null } & {
  [name: string]: unknown;
};

/** A view of the page (router.js). */
interface Shown {
  isPublic?: boolean;
  stranger?: Shown;
  open(...params: any[]): unknown;
  close(): void;
}

/** The values in the place of names in braces of a text. */
type Values = Record<string, unknown>;

/** What game/page.js gets of the page (kit.js), and what the server puts in front of it. */
declare var tictac: (texts: Catalogue) => Kit;
declare const texts: Catalogue;
declare var trustedTypes: any;
type Kit = Pick<typeof import("../../tictac/plugins/web/static/js/board.js"), "Board"> &
  Pick<typeof import("../../tictac/plugins/web/static/js/dom.js"), "announce" | "draw" | "make" | "markField" | "write"> &
  Pick<typeof import("../../tictac/plugins/web/static/js/grid.js"), "Walk"> &
  Pick<typeof import("../../tictac/plugins/web/static/js/names.js"), "faceNamed"> &
  Pick<typeof import("../../tictac/plugins/web/static/js/settings.js"), "choose" | "chosen"> &
  Pick<typeof import("../../tictac/plugins/web/static/js/texts.js"), "say" | "translate">;

/** The texts of a language, or of a part. */
interface Catalogue {
  [name: string]: Texts;
}
type Texts = string | Catalogue;

/** A request that logs in. */
type Login = Wire.Requests["login"] | Wire.Requests["guest"] | Wire.Requests["run"];
type Entered = Wire.Answers["login"];

/** A request by its name; session.js adds the id. */
type Asked<D extends keyof Wire.Requests> = Wire.Requests[D] & { do: D };

/** What a tab, or else the device, knows of its visitor (session.js, recall()). */
interface Known {
  user?: string;
  token?: string;
  guest?: string;
  table?: any;
  seen?: string[];
}

/** A time control (clocks.js): seconds, or days for each move. */
type TimeControl = Partial<Wire.Seconds & { days: number }>;

/** A mark of a seat (games.js). */
interface Mark {
  sign: string;
  name: string;
  look: string;
}

/** How the position of a game with a grid is read (games.js). */
interface Grid {
  marks: Mark[];
  rows(position: string, options: any): string[];
  move(column: number, row: number): string;
  cell(column: number, row: number): string;
  say?(move: string): string;
  strike?(options: any): number;
  below?(column: number, options: any): Below | undefined;
  ground?: string;
  sound?: string;
  keys?: string;
  keysBelow?: string;
  line?: boolean;
  dots?: boolean;
  heads?: boolean;
  stars?: boolean;
  counts?: boolean;
}

/** A button below a column. */
interface Below {
  move: string;
  name: string;
}

interface Cell {
  move: string;
  name: string;
  mark: Mark | null;
  pending?: Mark;
  last?: boolean;
  can?: boolean;
  won?: boolean;
  best?: boolean;
}

/** Columns and rows of both ends. */
type Line = [number, number, number, number];

/** What a face is told of a table (faces.js). */
interface Standing {
  game: string;
  options: any;
  seat: number | null;
  players: Wire.Players;
  position: string;
  picture: string[] | null;
  turn: number | null;
  begun: boolean;
  isPlaying: boolean;
  isMyTurn: boolean;
  can: string[];
  last: string | null;
  by: number | null;
  before: string | null;
  record: any[];
  pending: string | null;
  result: any;
  n: number;
  best: string | null;
  /** What players are called (names.js). */
  names: (string | null)[];
  /** Which of these players are computers. */
  robots: boolean[];
}

/** What a face has for the panel beside the board. */
interface Panel {
  element: HTMLElement;
  name: string;
  title: string;
}

/** What shows a game. */
interface GameFace {
  element: HTMLElement;
  keys?: string;
  tellsMoves?: boolean;
  hasHints?: boolean;
  panels?: Panel[];
  /** Stands above the board, and stays in sight. */
  bar?: HTMLElement;
  actions?: Child;
  render(table: Standing): void;
  focus(): void;
}

/** What a game with modules of its own brings along: a class, and what it says of the game. */
interface OwnBoard {
  new (choose: (move: string) => void): GameFace;
  marks?: Mark[];
  sound?: string;
  guide?: Partial<Guide>;
  hasHistory?: boolean;
  hasSecrets?: boolean;
  isNeverDrawn?: boolean;
  say?(move: string, before: string | null): string | undefined;
  tell?(table: Pick<Standing, "seat" | "players" | "record" | "position" | "names">): string;
  why?(position: string): string;
  first?(position: string): number[];
  warn?(position: string): string;
  positions?(moves: string[]): string[];
  mini?(position: string): Element | null;
  beside?(position: string, seat: number): Child | undefined;
  out?(position: string): number[];
}

interface Guide {
  steps: { position: string; title: string; text: string }[];
  tips: string[];
}

/** What a move was worth. */
type Judged = Wire.Judgement["moves"][number];

/** A step of a replay (replay.js). */
interface Step {
  event: string;
  at: number;
  seat: number | null;
  move: string | null;
  count?: number;
  how?: string;
  number: number | null;
  table: Table;
  length: number;
  told: (other?: string) => Pick<Table, "record" | "options" | "position">;
  undone?: boolean;
  judged?: Judged;
}

/** A point of the graph of a match: of a move, unless it is the first (replay.js, values). */
interface Valued {
  step: number;
  value: number;
  verdict?: string;
}

type Stay = import("../../tictac/plugins/web/static/js/stay.js").Stay;

/** A field of a form: an option of a game, or something like it with a label. */
interface Field extends Partial<Omit<Wire.Option, "choices">> {
  name: string;
  label?: string;
  choices?: (string | number)[];
}

/** Where one is told of one's turn (notices.js). */
type Contact = Wire.Answers["notices"]["contacts"][number];

/** A match with a seat of one's own, and when it was told, in milliseconds since 1970 (turns.js). */
type Kept = Wire.Mine & { at: number };

/** An account, or a guest by the address. */
type Whom = { user: string; address?: undefined } | { address: string; user?: undefined };

/** A room that will come (view.js). */
interface Expected {
  room: string;
  key: string | null;
  again: any;
  back?: string;
}
