// The types of the boards of games/openspiel: namespace Spiel.

declare namespace Spiel {
  /** What boards.py knows of a game (Board.parts). */
  interface Parts {
    name: string;
    shape: string;
    fen: boolean;
    names: string;
    files: string;
    base: number;
    steps: string;
    army: string;
    goal: string;
    turned: number;
    signs: Record<string, [number, string]>;
    stones: string[];
    sides: string[];
    names_of: string[];
    words: Record<string, string>;
    pictures: string[];
    rules: string[];
  }

  /** A place: its middle, its size, in cells. */
  interface Box {
    x: number;
    y: number;
    w: number;
    h: number;
  }

  /** A cell, or a piece in hand (scene.js). */
  interface Spot extends Box {
    name: string;
    row: number;
    column: number;
    sign: string;
    isDark?: boolean;
    isGone?: boolean;
    isHand?: boolean;
    /** Whose checkers come here: the bar and the home of backgammon. */
    owner?: string;
    count?: number;
  }

  interface Scene {
    parts: Parts;
    cells: Spot[];
    rows: string[][];
    widest: number;
    width: number;
    height: number;
    rim: number;
    notes: Record<string, string>;
    turned: boolean;
    hand?: number;
  }

  /** A move with what is pointed at for it, one after the other. */
  interface Way {
    move: string;
    steps: string[];
  }

  /** A move of a table with its single things. */
  interface Play {
    move: string;
    things: string[];
  }

  /** What is to be done, and the notes of a table (tables.js). */
  interface Notes {
    /** A word; "any" for TypeScript, which would have it be a list, too. */
    doing: any;
    [name: string]: string[];
  }

  /** What a felt draws with (felts.js). */
  interface Laying {
    table: Standing;
    notes: Notes;
    spot(name: string, label: string, inside: Child[], kind?: string, isOpen?: boolean): HTMLElement;
    pile(move: string, label: string, inside: Child[]): HTMLElement;
    piles: Set<string>;
    rows: HTMLElement[][];
    tell(hint: string): void;
  }

  /** A row of squares, each with a piece or "." (san.js). */
  type Squares = string[][];
  type State = { board: Squares; held: string; passed: string; side?: string };
  type At = [number, number];
}
