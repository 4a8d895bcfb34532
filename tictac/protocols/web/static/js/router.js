// The addresses of the page: which view shows what a path names, and going from one to another.

/** The path to a view: its name, and what it shows. A part that is missing is left out. */
export function pathTo(...parts) {
  return `/${parts.filter(Boolean).map(encodeURIComponent).join("/")}`;
}

/**
 * `views` are known by the first part of their paths; `nowhere` shows whatever has none. A view has
 * `open(...params)` with the other parts of the path, and `close()`. It may be `isPublic`: then it is
 * shown to who isn't logged in; or it has a view for such a `stranger`. While it `isPlaying` it isn't closed, but asked to `resign()`. `gate` is the view
 * for who `mayEnter()` no other.
 */
export class Router {
  #views;
  #gate;
  #mayEnter;
  #current = null;
  #path = null;
  /** Called when another view is shown. */
  changed = () => {};

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

  /** Go to a path, as by a link: Back leads here again. */
  go(path) {
    if (this.#current?.isPlaying) return this.#current.resign();
    history.pushState(null, "", path);
    this.follow();
  }

  /** Go to a path from which Back leads to where it led from here. */
  replace(path) {
    history.replaceState(null, "", path);
    this.follow();
  }

  /** Show what the address of the page names, unless that is so. */
  follow() {
    const path = location.pathname;
    if (path === this.#path) return;
    if (this.#current?.isPlaying) {
      history.pushState(null, "", this.#path); // a match isn't left like that
      return this.#current.resign();
    }
    const [view, params] = this.#find(path);
    if (view.isPublic || this.#mayEnter()) {
      this.#enter(view, path);
      view.open(...params);
    } else if (view.stranger) {
      this.#enter(view.stranger, null);
      view.stranger.open(...params);
    } else if (this.#current !== this.#gate) {
      this.#enter(this.#gate, null);
      this.#gate.open();
    }
  }

  /** A view has opened by itself, and that is its path. */
  at(name, path) {
    this.#enter(this.#views[name], path);
    if (location.pathname !== path) history.pushState(null, "", path);
  }

  /** Nobody is logged in any longer, and why, if that is to be said. */
  shut(why) {
    this.#enter(this.#gate, null);
    this.#gate.open(why);
  }

  #find(path) {
    const [name, ...params] = read(path);
    return [this.#views[name] ?? this.#views.nowhere, params];
  }

  #enter(view, path) {
    if (this.#current !== view) this.#current?.close();
    this.#current = view;
    this.#path = path;
    const [name] = path === null && view === this.#gate ? [] : read(path ?? location.pathname);
    for (const link of document.querySelectorAll("#ways a")) {
      const is = link.id === "you" ? link.pathname === path : [name, `${name}s`].includes(read(link.pathname)[0]);
      if (is) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    queueMicrotask(this.changed);
  }

  #clicked(event) {
    const link = event.target.closest("a[href^='/']");
    const isOther = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || event.defaultPrevented || isOther || link.target || link.hasAttribute("download")) return;
    event.preventDefault();
    if (link.pathname !== this.#path) this.go(link.pathname + link.hash);
  }
}

function read(path) {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return []; // no path of ours
  }
}
