// What the modules of a game import of "./page.js": static/game/page.js, with what the server puts in front of it.

export const parts: Record<string, any>;
export const Board: Kit["Board"];
export const Walk: Kit["Walk"];
export const announce: Kit["announce"];
export const choose: Kit["choose"];
export const chosen: Kit["chosen"];
export const draw: Kit["draw"];
export const faceNamed: Kit["faceNamed"];
export const make: Kit["make"];
export const markField: Kit["markField"];
export const say: Kit["say"];
export const translate: Kit["translate"];
export const write: Kit["write"];
