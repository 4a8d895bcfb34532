// A hand-written server on ws: node ws.mjs PORT
import { WebSocketServer } from "ws";
import { play, sit } from "./board.mjs";

const rooms = new Map();
new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2]) }).on("connection", (socket) => {
  let room, seat;
  socket.on("message", (data) => {
    const request = JSON.parse(data);
    if (request.join) {
      room = request.join;
      seat = sit(room);
      rooms.set(room, [...(rooms.get(room) ?? []), socket]);
      socket.send(JSON.stringify({ seat }));
      return;
    }
    const said = JSON.stringify(play(room, seat, request.move));
    for (const each of rooms.get(room)) each.send(said);
  });
});
