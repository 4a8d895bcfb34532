// What a server of the game wouldn't say.

/** Thrown for a message that isn't of the protocol, or not now. */
export class Junk extends Error {
  constructor(what) {
    super(what.length > 40 ? `${what.slice(0, 40)}…` : what);
  }
}
