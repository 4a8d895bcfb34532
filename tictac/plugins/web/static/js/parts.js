// Which plug-ins of the server answer over HTTP, so that nobody asks for what isn't there.

/** @type {Promise<string[]> | null} */
let told = null;

/**
 * The server has told their names.
 * @param {string[]} names
 */
export function learnParts(names) {
  told = Promise.resolve(names);
}

/**
 * Whether there is one of that name; `ask()` asks the server for their names, unless it has told them.
 * @param {string} name
 * @param {() => Promise<string[]>} ask
 */
export async function hasPart(name, ask) {
  told ??= ask().catch(() => ((told = null), []));
  return (await told).includes(name);
}
