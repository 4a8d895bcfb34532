// The browser's own password manager, where it can be asked (Credential Management API): it may
// give the password back after a reload, so that nobody has to type it and we needn't keep it.

const CAN = "PasswordCredential" in window && "credentials" in navigator;

/** Offer what has just worked to the password manager; it asks its owner. */
export function offer(id, password) {
  if (CAN) quietly(navigator.credentials.store(new PasswordCredential({ id, password })));
}

/** The password of `id`, if the browser gives it without a question; otherwise "". */
export async function passwordOf(id) {
  if (!CAN) return "";
  const found = await quietly(navigator.credentials.get({ password: true, mediation: "silent" }));
  return found?.id === id ? found.password : "";
}

/** Somebody has logged out: the next time is to be asked for. */
export function ask() {
  if (CAN) quietly(navigator.credentials.preventSilentAccess());
}

function quietly(promise) {
  return promise.catch(() => null);
}
