// What a service worker has for its own: lib.webworker.d.ts has the names of all kinds of workers.

declare const registration: ServiceWorkerRegistration;
declare const clients: Clients;
declare function addEventListener<K extends keyof ServiceWorkerGlobalScopeEventMap>(
  type: K,
  listener: (event: ServiceWorkerGlobalScopeEventMap[K]) => void,
): void;
