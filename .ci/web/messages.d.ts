// The messages of the lobby protocol, made of schema.json by python -m tests.documents.
//
// Where a request has more than one answer, Answers has the fields of all of them: what was asked
// for decides which there are. An answer to HTTP has the same fields.
declare namespace Wire {
  type Series = { id: string; name: string; game: string; state: "open" | "frozen" | "over"; players: number; title: string; tournament: string | null; kind: "day" | "night" | "final" | null; opens: string | null; until: string | null };
  type Ranked = { rank: number | null; user: string | null; level: string | null; rating: number | null; error: number | null; games: number; won: number; drawn: number; lost: number; form: string; week: number | null; climbed: number | null; version: string; seen?: string; losses?: { [name: string]: number } };
  type Pupil = { user: string; seen: string | null; state: "playing" | "room" | "waiting" | "online" | "away" | "never"; since?: string; room?: string; game?: string; with?: Texts; special: boolean; recent: number; marks: ({ have: number; passed: boolean; last?: string })[] };
  type Rule = { number: number; title: string; text: string; since: string; kind: "beat" | "rating" | "play" | "rank" | "check"; need: number; game?: string; level?: string; of?: number; series?: string; company?: "people" | "classmates" };
  type Tournament = { id: string; name: string; system: "round-robin" | "swiss" | "knock-out" | "arena"; game: string; title: string; clock: Clock | null; rated: boolean; group: string | null; guests: boolean; state: "open" | "running" | "over"; begins: string | null; ends: string | null; length?: number; round: number; rounds: number | null; players: number; ended: string | null; options?: Options; seats?: number; games?: number; more?: number; grace?: number; rest?: number };
  type Place = { rank: number | null; name: string; rating: number | null; level: string | null; points: number; measures: { [name: string]: number }; results: Texts; state: "in" | "paused" | "out" };
  type Called = { [name: string]: string };
  type Award = { kind: "run" | "fastest" | "surprise"; name: string; count: number; against?: string; match?: string | null; more?: number };
  type Cupgame = { number: number; round: number; players: Texts; room?: string; scores?: (number)[] | null; how?: string; match?: string | null; set_by?: string; tournament?: Tournament; names?: Called };
  type Rights = "all" | "own" | null;
  type Why = "played" | "time" | "stuck" | "few" | "abandoned" | "called-off";
  type Card = { state: "entered" | "waiting" | "playing" | "bye" | "out" | "over"; begins?: string | null; players?: number; round?: number | null; left?: number; of?: number; next?: string | null; rank?: number | null; points?: number; paused?: true; closed?: true; busy?: { user: string | null; tournament: string }; game?: number; room?: string; seat?: number; against?: Texts; computers?: Computers; until?: string | null; name?: string; first?: Texts; why?: Why; ranks?: (number)[]; more?: number; shared?: number; names?: Called };
  type Version = { number: number; series: string; name: string; size: number; pushed: string; changed: string; state: "received" | "checked" | "trial" | "ladder" | "refused" | "replaced"; report: string; games: number; lost: number; reasons: { [name: string]: number } };
  type Seats = { held?: ({ room: string; game: string; seat: number; seconds: number | null; options: Options; players: Names; computers?: Computers; names?: Called; turn: Seat; position: string | null })[]; ended?: ({ room: string; game: string; seat: number; how: How; winner: Seat; result: Result; disconnected?: true; aborted?: true; decided?: Decided; match?: string; clocks?: Clocks; options?: Options; players?: Names; computers?: Computers; names?: Called; tournament?: string; round?: number; turn?: null; position?: string })[] };
  type How = "won" | "drawn" | "agreed" | "forfeited" | "left" | "timed out" | "closed" | "absent";
  type Decided = "set" | "withdrew" | "called-off" | "over";
  type Result = (number)[] | null;
  type Rating = { player: string; game: string; rating: number; deviation: number; provisional: boolean; matches: number; ended: string; last: string; month: number | null; aborts?: Aborts; rank?: number };
  type Point = { game: string; match: string; ended: string; rating: number; deviation: number };
  type Judgement = { version: number; accuracy: (number | null)[]; moves: ({ number: number; seat: number; move: string; best: string; before: number; after: number; note: string; verdict: "best" | "good" | "inaccuracy" | "mistake" | "blunder" })[] };
  type Ended = { id: string; game: string; players: (Who)[]; computers?: Computers; door: string | null; private: boolean; rated: boolean; began: string; ended: string; moves: number; ending: string; winner: Seat; aborted?: true };
  type Match = { version: 1; id: string; game: string; options: Options; start: string; players: (Who)[]; door: string | null; private: boolean; rated: boolean; clock: Terms; began: string; events: ([number, string, ...(any)[]])[]; ending: string; winner: Seat };
  type Who = { name: string; kind: "account" | "guest" | "computer"; level?: string };
  type Computers = { [name: string]: { name: string; level?: string } };
  type Counts = { people: number; playing: number; rooms: number };
  type Person = { user: string; state: "free" | "playing"; room?: string; challenge: boolean };
  type Terms = [number, number, (number)[]?] | null;
  type Id = string | number | boolean | null;
  type Seat = number | null;
  type Clocks = (number)[] | null;
  type Clock = Seconds | { days: number };
  type Seconds = { initial: number; increment?: number; delay?: number; period?: number; periods?: number };
  type Options = { [name: string]: number | boolean | string };
  type Player = { user: string; away: boolean; held?: number };
  type Mine = { room: string; game: string; title: string; options: Options; clock: Clock | null; players: Names; here: Texts; computers?: Computers; names?: Called; seat: number; begun: boolean; turn: Seat; left: number | null; n: Number; moves: number; last: { seat: number; move: string; at: string } | null; position: string; unread: number; offer: { seat: number; what: What; days?: number } | null; tournament?: string; rated?: true; private?: true };
  type Summary = { room: string; game: string; title: string; options: Options; owner: string | null; opened: string; players: Names; ratings?: Ratings; computers?: Computers; names?: Called; given_up?: (number)[]; viewers: number; begun: boolean; rated?: true; clock: Clock | null };
  type Game = { name: string; title: string; goal: string; seats: (number)[]; levels: Texts; characters: Texts; page?: string; icon?: string; group?: string; hue?: number; options: (Option)[] };
  type Option = { name: string; help: string; kind: "number" | "flag" | "choice"; default: number | boolean | string; lowest: number; highest: number; choices: Texts; suggested?: (number | boolean | string)[] };
  type Ratings = ({ rating: number; provisional: boolean; aborts?: Aborts } | null)[];
  type Aborts = number;
  type Number = number;
  type Names = (string | null)[];
  type Texts = (string)[];
  type Streak = { days: number; best: number; last: Texts; today: Texts };
  type Tries = null | { tried: number; solved: number };
  type Players = (Player | null)[];
  type What = "draw" | "takeback" | "days" | "rematch";
  /** By the name of a request. */
  interface Requests {
    hello: { do: "hello"; draws?: (string)[] | null; takes?: (string)[] | null; id?: Id };
    register: { do: "register"; user: string; password: string; remember?: boolean | null; code?: string | null; id?: Id };
    login: { do: "login"; user: string; password?: string | null; token?: string | null; remember?: boolean | null; id?: Id };
    logout: { do: "logout"; everywhere?: boolean | null; id?: Id };
    password: { do: "password"; old: string; password: string; remember?: boolean | null; id?: Id };
    guest: { do: "guest"; token?: string | null; id?: Id };
    games: { do: "games"; id?: Id };
    rules: { do: "rules"; game: string; options?: Options | null; id?: Id };
    lobby: { do: "lobby"; follow?: boolean | null; id?: Id };
    open: { do: "open"; id?: Id; game: string; options?: Options | null; clock?: Clock | null; rated?: boolean | null; seats?: number | null; computers?: number | null; seat?: number | null; room?: string | null; private?: boolean | null; computer?: string | null };
    seek: { do: "seek"; id?: Id; game: string; options?: Options | null; clock?: Clock | null; rated?: boolean | null; seats?: number | null };
    join: { do: "join"; room: string; key?: string | null; since?: number | null; take?: boolean | null; id?: Id };
    watch: { do: "watch"; room: string; key?: string | null; since?: number | null; id?: Id };
    move: { do: "move"; room: string; move: string; at?: number | null; id?: Id };
    resign: { do: "resign"; room: string; id?: Id };
    offer: { do: "offer"; room: string; what?: "days" | "draw" | "rematch" | "takeback" | null; days?: number | null; id?: Id };
    accept: { do: "accept"; room: string; what?: "days" | "draw" | "rematch" | "takeback" | null; id?: Id };
    decline: { do: "decline"; room: string; what?: "days" | "draw" | "rematch" | "takeback" | null; id?: Id };
    say: { do: "say"; room: string; text: string; id?: Id };
    matches: { do: "matches"; game?: string | null; player?: string | null; result?: "won" | "lost" | "drawn" | null; since?: string | null; until?: string | null; cursor?: string | null; limit?: number | null; id?: Id };
    match: { do: "match"; match: string; format?: string | null; id?: Id };
    replay: { do: "replay"; match: string; seat?: number | null; first?: number | null; draws?: (string)[] | null; id?: Id };
    ratings: { do: "ratings"; game?: string | null; player?: string | null; group?: string | null; limit?: number | null; id?: Id };
    judge: { do: "judge"; match: string; id?: Id };
    admin: { do: "admin"; act: "add" | "announce" | "ban" | "bans" | "begin" | "drain" | "end" | "extend" | "kick" | "on" | "remove" | "rename" | "rooms" | "score" | "tournament" | "unban"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; tournament?: string | null; plan?: { [name: string]: any } | null; computer?: string | null; game?: number | null; scores?: (number)[] | null; name?: string | null; new?: boolean | null; id?: Id };
    leave: { do: "leave"; room: string; for_good?: boolean | null; id?: Id };
    ping: { do: "ping"; id?: Id };
    tournaments: { do: "tournaments"; state?: "open" | "running" | "over" | null; cursor?: string | null; limit?: number | null; follow?: boolean | null; rights?: boolean | null; id?: Id };
    tournament: { do: "tournament"; tournament: string; first?: number | null; round?: number | null; player?: string | null; follow?: boolean | null; rights?: boolean | null; id?: Id };
    enter: { do: "enter"; tournament: string; name?: string | null; id?: Id };
    withdraw: { do: "withdraw"; tournament: string; id?: Id };
    pause: { do: "pause"; tournament: string; pause: boolean; id?: Id };
    play: { do: "play"; tournament?: string; series?: string | null; version?: string | null; id?: Id };
    series: { do: "series"; series?: string | null; first?: number | null; id?: Id };
    ladder: { do: "ladder"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; act: "change" | "create" | "end" | "freeze" | "players" | "remove"; id?: Id; series: string; plan?: { [name: string]: any } | null };
    people: { do: "people"; follow?: boolean | null; id?: Id };
    account: { do: "account"; hidden?: boolean | null; challenges?: "accounts" | "everybody" | "nobody" | null; id?: Id };
    challenge: { do: "challenge"; user: string; id?: Id; game: string; options?: Options | null; clock?: Clock | null; rated?: boolean | null; side?: number | null; private?: boolean | null };
    respond: { do: "respond"; challenge: string; how: "accept" | "decline" | "withdraw"; id?: Id };
    meanwhile: { do: "meanwhile"; id?: Id; game: string; options?: Options | null; clock?: Clock | null; rated?: boolean | null; seats?: number | null; stop?: boolean | null };
    mine: { do: "mine"; follow?: boolean | null; id?: Id };
    record: { do: "record"; game?: string | null; id?: Id };
    export: { do: "export"; first?: number | null; id?: Id };
    delete: { do: "delete"; password: string; id?: Id };
    block: { do: "block"; user?: string | null; how?: "block" | "mute" | "off" | null; id?: Id };
    report: { do: "report"; user: string; text: string; room?: string | null; id?: Id };
    reports: { do: "reports"; act?: "reports"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; close?: number | null; id?: Id };
    notices: { do: "notices"; channel?: string | null; address?: string | null; wish?: "daily" | "each" | "late" | "off" | null; language?: string | null; zone?: string | null; quiet?: string | null; id?: Id };
    link: { do: "link"; link: string; go?: boolean | null; id?: Id };
    outbox: { do: "outbox"; act?: "bounced" | "notices"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; message?: string | null; why?: string | null; id?: Id };
    xmpp: { do: "xmpp"; room?: string | null; key?: string | null; jid?: string | null; link?: boolean | null; language?: string | null; id?: Id };
    puzzle: { do: "puzzle"; day?: string | null; game?: string | null; moves?: (string)[] | null; whole?: boolean | null; id?: Id };
    push: { do: "push"; id?: Id };
    programs: { do: "programs"; number?: number | null; id?: Id };
    run: { do: "run"; token: string; id?: Id };
    runners: { do: "runners"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; act?: "add" | "list" | "remove"; id?: Id; runner?: string | null };
    submissions: { do: "submissions"; act?: "submissions"; user?: string | null; address?: string | null; seconds?: number | null; text?: string | null; group?: string | null; id?: Id };
    desk: { do: "desk"; group?: string | null; act?: "add" | "drop" | "export" | "rule" | "slips" | "teacher" | null; first?: number | null; users?: (string)[] | null; rule?: string | null; title?: string | null; number?: number | null; off?: boolean | null; id?: Id };
    pair: { do: "pair"; id?: Id; game: string; options?: Options | null; clock?: Clock | null; rated?: boolean | null; group: string; odd?: string | null; users?: (string)[] | null };
    code: { do: "code"; code?: string | null; password?: string | null; id?: Id };
  }
  /** By the request. */
  interface Answers {
    logout: { answer: Id };
    resign: { answer: Id };
    offer: { answer: Id };
    accept: { answer: Id };
    decline: { answer: Id };
    leave: { answer: Id };
    say: { answer: Id };
    ping: { answer: Id };
    respond: { answer: Id; room: string; key?: string };
    meanwhile: { answer: Id };
    ladder: { answer: Id; id: string; name: string; game: string; state: "open" | "frozen" | "over"; players: number; title: string; tournament: string | null; kind: "day" | "night" | "final" | null; opens: string | null; until: string | null; rows: (Ranked)[]; series: string };
    delete: { answer: Id };
    report: { answer: Id };
    desk: { answer: Id; groups: Texts; group: string; teachers: Texts; complete: boolean; next: number | null; counts: { pupils: number; online: number; playing: number; waiting: number }; pupils: (Pupil)[]; rules: (Rule)[]; added: Texts; until: string; slips: ({ user: string; code: string })[]; number: number; csv: string };
    runners: { answer: Id; runners: ({ [name: string]: any })[]; runner: string; token: string };
    hello: { answer: Id; server: string; version: string; protocol: number; guests: boolean; registration?: "open" | "closed" | "code"; min_password?: number; visitors?: "none" | "invited"; parts?: (string)[] };
    login: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card } };
    register: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card } };
    password: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card } };
    guest: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card } };
    run: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card } };
    code: { answer: Id; user: string; guest?: boolean; token?: string; expires?: string; seats?: Seats; pass?: string; desk?: Texts; programs?: true; mine?: { games: number; turns: number }; tournaments?: { [name: string]: Card }; code: string; seconds: number };
    export: { answer: Id; export: { [name: string]: { [name: string]: any } }; next: number | null; csv: string };
    push: { answer: Id; upload: string; largest: number };
    programs: Version & { answer: Id; largest: number; programs: (Version)[]; command: string; build: string; stderr: string; losses: ({ [name: string]: any })[] };
    submissions: { answer: Id; submissions: (Version)[] };
    pair: { answer: Id; left: Texts; rooms: ({ room: string; users: Texts })[] };
    block: { answer: Id; blocks: { [name: string]: "block" | "mute" } };
    reports: { answer: Id; reports: ({ number: number; at: string; by: string; user: string; text: string; room: string | null; said: ((string)[])[] })[] };
    people: { answer: Id; counts: Counts; people?: (Person)[]; more?: number };
    account: { answer: Id; hidden: boolean; challenges: "everybody" | "accounts" | "nobody" };
    notices: { answer: Id; contacts: ({ channel: string; address: string; wish: "each" | "daily" | "late"; confirmed: boolean; failed?: string })[]; settings: { language: string; zone: string; quiet: string | null }; channels: { [name: string]: { [name: string]: any } } };
    link: { answer: Id; does: "confirm" | "stop"; user: string; channel: string; done: boolean };
    outbox: { answer: Id; count: number; waiting: ({ [name: string]: any })[]; given_up: ({ [name: string]: any })[]; user: string | null };
    xmpp: { answer: Id; domain: string; room?: string; links: ({ jid: string; confirmed: boolean; code?: string })[] };
    mine: { answer: Id; mine: (Mine)[] };
    puzzle: { answer: Id; day: string; days: Texts; streak?: Streak; puzzles: ({ game: string; title: string; options: Options; seats: number; seat: number; position: string; moves: number; wins: boolean; match: string | null; tries: Tries })[]; game: string; move: number; right: boolean; solved: boolean; replies: Texts; position: string; why: "holds" | "loses" | null; tries: Tries; steps: ({ position: string; best: string; replies: Texts; then: string; others: { [name: string]: Texts }; hint: "wins" | "twice" | "forces" | "quiet" })[] };
    record: { answer: Id; record: ({ game: string; level: string | null; won: number; lost: number; drawn: number; last: ("won" | "lost" | "drawn")[]; best: number | null; played: string })[] };
    challenge: { answer: Id; challenge: string; seconds: number | null; room: string; key?: string };
    tournaments: { answer: Id; cursor: string | null; rights?: Rights; games?: (Cupgame)[]; tournaments: (Tournament)[] };
    tournament: { answer: Id; tournament: Tournament; n: number; owner?: string; standings?: (Place)[]; games: (Cupgame)[]; computers?: Computers; byes?: Texts; state?: "open" | "running" | "over"; round?: number; rounds?: number | null; players?: number; ended?: string | null; why?: Why; left: number; closed?: true; corrected?: string; next?: string | null; rights?: Rights; names?: Called; awards?: (Award)[]; you: Card | null };
    series: { answer: Id; series: (Series)[]; id: string; name: string; game: string; state: "open" | "frozen" | "over"; players: number; title: string; tournament: string | null; kind: "day" | "night" | "final" | null; opens: string | null; until: string | null; plan: { [name: string]: any }; standings: (Ranked)[]; computers?: Computers; you: Ranked | null };
    enter: { answer: Id; you: Card };
    withdraw: { answer: Id; you: Card };
    pause: { answer: Id; you: Card };
    admin: { answer: Id; tournament: string; count?: number; user?: string; ended?: number; told?: number; on?: ({ [name: string]: any })[]; bans?: ({ [name: string]: any })[]; rooms?: ({ [name: string]: any })[] };
    games: { answer: Id; games: (Game)[] };
    rules: { answer: Id; rules: Texts };
    lobby: { answer: Id; now: string; rooms: (Summary)[] };
    open: { answer: Id; room: string; key?: string };
    seek: { answer: Id; room: string; key?: string };
    join: { answer: Id; room: string; key?: string };
    watch: { answer: Id; room: string; key?: string };
    play: { answer: Id; room: string; key?: string };
    matches: { answer: Id; cursor: string | null; matches: (Ended)[] };
    match: { answer: Id; match: Match; file: string };
    replay: { answer: Id; replay: { id: string; game: string; options: Options; players: (Who)[]; computers?: Computers; door: string | null; private: boolean; rated: boolean; clock: Terms; began: string; ended: string; ending: string; winner: Seat; next: number | null; judgement: Judgement | null; events: ({ at: any; event: any; n: any; [name: string]: any })[] } };
    ratings: { answer: Id; players: (Rating)[]; computers: { [name: string]: number }; player?: Rating | null; groups?: Texts; ratings: (Rating)[]; history: (Point)[] };
    judge: { answer: Id; judgement: Judgement };
    move: { answer: Id; at: number };
  }
  type Event =
    | { event: "tournament"; tournament: string; you: Card }
    | { event: "tournament"; tournament: string; n: number; state: "open" | "running" | "over"; round?: number; rounds?: number | null; players?: number; ended?: string | null; why?: Why; left: number; closed?: true; corrected?: string; next?: string | null; standings: (Place)[]; computers?: Computers; names?: Called; games: (Cupgame)[] }
    | { event: "tournaments"; tournaments: (Tournament)[] }
    | { event: "xmpp"; links: ({ jid: string; confirmed: boolean; code?: string })[] }
    | { event: "mine"; room: string; seat: any; position: any; [name: string]: any }
    | { event: "mine"; room: string; gone: true; how?: How; winner?: Seat; result?: Result; match?: string }
    | { event: "room"; room: string; n: Number; game: string; title: string; goal: string; options: Options; seat: Seat; players: Players; computers?: Computers; names?: Called; viewers: Texts; position: string; picture?: Texts; turn: Seat; moves: Texts; clocks: Clocks; clock?: Clock; begun: boolean; paused: boolean; rated?: true; tournament?: string; round?: number; offer: { seat: number; what: What; days?: number } | null; score: (number)[] | null; record: ([number, "moved" | "undone", number, string | number])[]; said: ([number, string, string])[] }
    | { event: "joined"; room: string; n: Number; user: string; seat: Seat; players: Players; names?: Called; computers?: Computers }
    | { event: "left"; room: string; n: Number; user: string; seat: Seat; held: number | null }
    | { event: "began"; room: string; n: Number; players: (string)[]; position: string; picture?: Texts; turn: Seat; moves: Texts; clocks: Clocks }
    | { event: "moved"; room: string; n: Number; seat: number; move: string; position: string; picture?: Texts; turn: Seat; moves: Texts; clocks: Clocks }
    | { event: "offered" | "declined" | "withdrawn" | "expired"; room: string; n: Number; seat: number; what: What; days?: number }
    | { event: "retimed"; room: string; n: Number; seat: number; clock: Clock; clocks: Clocks }
    | { event: "undone"; room: string; n: Number; seat: number; count: number; position: string; picture?: Texts; turn: Seat; moves: Texts; clocks: Clocks }
    | { event: "paused"; room: string; n: Number; user: string; clocks: Clocks }
    | { event: "resumed"; room: string; n: Number; user: string; clocks: Clocks }
    | { event: "said"; room: string; n: Number; user: string; text: string }
    | { event: "ended"; room: string; n: Number; how: How; winner: Seat; result: Result; aborted?: true; move: string | null; position: string; picture?: Texts; clocks?: Clocks; disconnected?: true; decided?: Decided; match?: string }
    | { event: "lobby"; room: string; game: string; title: string; options: Options; owner: string | null; opened: string; players: Names; ratings?: Ratings; names?: Called; computers?: Computers; given_up?: (number)[]; viewers: number; begun: boolean; clock: Clock | null; rated?: boolean | null }
    | { event: "lobby"; room: string; gone: true }
    | { event: "people"; counts: Counts; changed: (Person)[]; gone: Texts; more: number }
    | { event: "found"; room: string | null; user: string; seconds: number }
    | { event: "challenge"; challenge: string; state: "open"; by: string; user: string; game: string; title: string; options: Options; clock: Clock | null; rated: boolean; private: boolean; side: Seat; seconds: number | null }
    | { event: "challenge"; challenge: string; state: "accepted" | "declined" | "withdrawn" | "expired"; why?: "gone" | "playing"; room?: string; elsewhere?: true }
    | { event: "replaced"; room: string }
    | { event: "stopping"; seconds: number }
    | { event: "announced"; text: string }
    | { event: "closing"; reason: string; limit?: number; message: string };
}
