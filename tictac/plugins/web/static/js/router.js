// The addresses of the page: which view shows what a path names, and going from one to another.

/** What a sentence, a mail, or a chat leaves at the end of a link: nothing that a path names ends with it. */
const CLOSING = /[^A-Za-z0-9_-]+$/;

/** The same of people and groups, whose names have letters of any script and, but for two, the punctuation of ASCII. */
const CLOSING_OF_NAMES = /[^\p{L}\p{M}\p{N}!-+\--9;-~·’]+$/u;

/** The views that show people, and the part of the path that names them. */
/** @type {Record<string, any>} */
const PEOPLE = { __proto__: null, desk: 1, player: 1, ratings: 2 };

/**
 * The path to a view: its name, and what it shows. A part that is missing is left out.
 * @param {...(string | null | undefined)} parts
 */
export function pathTo(...parts) {
  const path = `/${/** @type {string[]} */ (parts.filter(Boolean)).map(encodeURIComponent).join("/")}`;
  return parts[0] === "room" && path.endsWith("%20") ? `${path}/` : path; // the name does end so
}

/**
 * Whether somebody has a page: browsers take "." and ".." for folders.
 * @param {string} user
 */
export function hasPage(user) {
  return !/^\.{1,2}$/.test(user);
}

/**
 * A name without what may have closed a sentence.
 * @param {string} name
 */
export function withoutClosing(name) {
  return name.replace(/[\p{P}\p{S}]+$/u, "");
}

/**
 * `views` are known by the first part of their paths; `nowhere` shows whatever has none. A view has
 * `open(...params)` with the other parts of the path, and `close()`. It may be `isPublic`: then it is
 * shown to who isn't logged in; or it has a view for such a `stranger`. `gate` is the view
 * for who `mayEnter()` no other. What `open` returns is a promise of all that the view needs, if there is more to come.
 */
export class Router {
  #views;
  #gate;
  #mayEnter;
  /** @type {Shown | null} */
  #current = null;
  /** @type {string | null} */
  #path = null;
  /** @type {object | null} */
  #opening = null;
  #lacks = false;
  /** Called when another view is shown. */
  changed = () => {};
  /** What a link to the first page leads to instead, if it is there: whether it is. */
  toBoard = () => false;

  /**
   * @param {Record<string, Shown>} views
   * @param {Shown} gate
   * @param {() => boolean} mayEnter
   */
  constructor(views, gate, mayEnter) {
    this.#views = views;
    this.#gate = gate;
    this.#mayEnter = mayEnter;
    addEventListener("popstate", () => this.follow());
    document.addEventListener("click", (event) => this.#clicked(event));
  }

  /** Whether the address of the page names a view for everybody. */
  get isPublic() {
    return Boolean(this.#find(location.pathname)[0].isPublic);
  }

  /** Whether nobody may see more than the gate. */
  get isShut() {
    return this.#current === this.#gate;
  }

  /**
   * Go to a path, as by a link: Back leads here again.
   * @param {string} path
   */
  go(path) {
    history.pushState(null, "", path);
    this.follow();
  }

  /**
   * Go to a path from which Back leads to where it led from here.
   * @param {string} path
   */
  replace(path) {
    history.replaceState(null, "", path);
    this.follow();
  }

  /** Show what the address of the page names, unless that is so. */
  follow() {
    tidy();
    const path = location.pathname;
    if (path === this.#path) return;
    const [view, params] = this.#find(path);
    if (view.isPublic || this.#mayEnter()) {
      this.#enter(view, path);
      this.#open(view, params);
    } else if (view.stranger) {
      this.#enter(view.stranger, null);
      this.#open(view.stranger, params);
    } else if (this.#current !== this.#gate) {
      this.#enter(this.#gate, null);
      this.#gate.open();
    }
  }

  /**
   * A view has opened by itself, and that is its path.
   * @param {string} name
   * @param {string} path
   */
  at(name, path) {
    this.#enter(this.#views[name], path);
    if (location.pathname !== path) history.pushState(null, "", path);
  }

  /**
   * Nobody is logged in any longer, and why, if that is to be said.
   * @param {string | undefined} why
   */
  shut(why) {
    this.#enter(this.#gate, null);
    this.#gate.open(why);
  }

  /** Something couldn't be had of the server: a view that is being opened lacks it. */
  miss() {
    this.#lacks ||= Boolean(this.#opening);
  }

  /** The server is there again: open the view again if it lacks something. */
  retry() {
    if (!this.#lacks) return;
    this.#lacks = false;
    /** @type {Shown} */ (this.#current).close();
    this.#current = this.#path = null;
    this.follow();
  }

  /**
   * @param {Shown} view
   * @param {string[]} params
   */
  async #open(view, params) {
    const mine = (this.#opening = {});
    this.#lacks = false;
    try {
      await view.open(...params);
    } finally {
      if (mine === this.#opening) this.#opening = null;
    }
  }

  /**
   * @param {string} path
   * @returns {[Shown, string[]]}
   */
  #find(path) {
    const [name, ...params] = read(path);
    return [this.#views[name] ?? this.#views.nowhere, params];
  }

  /**
   * @param {Shown} view
   * @param {string | null} path
   */
  #enter(view, path) {
    if (this.#current !== view) {
      this.#current?.close();
      this.#opening = null;
      this.#lacks = false;
    }
    this.#current = view;
    this.#path = path;
    const [name] = path === null && view === this.#gate ? [] : read(path ?? location.pathname);
    for (const link of document.querySelectorAll(/** @type {"a"} */ ("#ways a"))) {
      const is = link.id === "you" ? link.pathname === path : [name, `${name}s`].includes(read(link.pathname)[0]);
      if (is) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    queueMicrotask(this.changed);
  }

  /** @param {MouseEvent & { target: HTMLElement }} event */
  #clicked(event) {
    const link = event.target.closest(/** @type {"a"} */ ("a[href^='/']"));
    const isOther = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || event.defaultPrevented || isOther || link.target || link.hasAttribute("download")) return;
    event.preventDefault();
    if (link.pathname === "/" && this.toBoard()) return;
    if (link.pathname !== this.#path) this.go(link.pathname + link.hash);
  }
}

/**
 * The parts of a path, without what closes it. A key is copied by hand, perhaps in capitals.
 * @param {string} path
 */
function read(path) {
  const parts = path.split("/").slice(1).map(decode);
  const isOfPeople = parts.length > 1 && PEOPLE[parts[0]] === parts.length - 1;
  parts.push(/** @type {string} */ (parts.pop()).replace(isOfPeople ? CLOSING_OF_NAMES : CLOSING, ""));
  if (parts[0] === "room" && parts[2]) parts[2] = parts[2].toLowerCase();
  return parts;
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // such as a single "%"
  }
}

/** Let the address be what was read of it. */
function tidy() {
  const { pathname, search, hash } = location;
  const parts = read(pathname);
  const isSame = parts.join("/") === pathname.split("/").slice(1).map(decode).join("/");
  if (!isSame) history.replaceState(history.state, "", `/${parts.map(encodeURIComponent).join("/")}${search}${hash}`);
}
