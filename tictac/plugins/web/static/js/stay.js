// Who waits for something may have gone elsewhere when it comes: then what should follow isn't to happen any more.
//
// A view begins a stay when it opens, ends it when it closes, and waits by here() alone: what stands behind
// `await this.#stay.here(promise)` happens in the same stay, or never. In its place Left is thrown, which nobody
// needs to catch: main.js lets it pass. Who catches errors of a request passes on what isn't one.

/** The visitor has gone elsewhere meanwhile. */
export class Left extends Error {}

export class Stay {
  /** @type {object | null} */
  #now = null;

  /** Begin another one: what waited in the last one has been left. */
  begin() {
    this.#now = {};
  }

  end() {
    this.#now = null;
  }

  /**
   * Wait for a promise. Rejects with Left in another stay, whatever has become of the promise.
   * @template T
   * @param {Promise<T> | T} promise
   * @returns {Promise<Awaited<T>>}
   */
  async here(promise) {
    const mine = this.#now;
    /** @type {[{ status: string, value?: any, reason?: unknown }]} */
    const [{ value, reason, status }] = await Promise.allSettled([promise]);
    if (mine === null || mine !== this.#now) throw new Left();
    if (status === "rejected") throw reason;
    return value;
  }
}
