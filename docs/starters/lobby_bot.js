// A bot of the lobby protocol (docs/reference/lobby.md): node lobby_bot.js HOST PORT NAME [WISH]
// It asks for match after match by WISH, and returns to its seat after a lost connection.
// PASSWORD in the environment is its account's password, if that isn't "secret".
"use strict";
const net = require("net");

const [host, port, name, wish = '{"do":"seek","game":"tictactoe"}'] = process.argv.slice(2);
const account = { user: name, password: process.env.PASSWORD || "secret" };

// Your task: a better move.
const choose = (position, moves, seat) => moves[Math.floor(Math.random() * moves.length)];

function fail(why) {
  console.error(`Error: ${why}.`);
  process.exit(1);
}

function connect() {
  const server = net.connect({ host, port, keepAlive: true });
  const send = (message) => server.write(JSON.stringify(message) + "\n");
  const seek = () => send(JSON.parse(wish));
  let seat = null, rest = "";

  function receive(told) {
    if (told.answer === "login") {
      if (told.error) fail(told.message);
      // After a lost connection, or the end of this program, the account still has its seats.
      const held = (told.seats || {}).held || [];
      if (held.length === 0) seek();
      else send({ do: "join", room: held[0].room, take: true, id: "join" });
    } else if (told.answer === "join" && told.error) {
      seek();
    } else if (told.event === "replaced") {
      fail("another program plays with this account");
    } else if (told.event === "challenge" && told.state === "open") {
      send({ do: "respond", challenge: told.challenge, how: "accept" });
    }
    if (told.event === "room") seat = told.seat;
    if (told.moves && told.moves.length > 0) {
      const move = choose(told.position, told.moves, seat);
      send({ do: "move", room: told.room, move, at: told.n });
    } else if (told.event === "ended") {
      console.log(told.how, told.winner === seat ? "(I won)" : "", told.position);
      seek();
    }
  }

  server.on("connect", () => {
    send({ do: "register", ...account }); // an error after the first time
    send({ do: "login", ...account, id: "login" });
  });
  server.setEncoding("utf8").on("data", (data) => { // a part of a line, or several lines
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    lines.forEach((line) => receive(JSON.parse(line)));
  });
  server.on("error", (error) => console.error(`Error: ${error.message}; trying again.`));
  server.on("close", () => setTimeout(connect, 1000));
}
connect();
