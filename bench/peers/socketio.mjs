// The same on socket.io: node socketio.mjs PORT
import { createServer } from "node:http";
import { Server } from "socket.io";
import { play, sit } from "./board.mjs";

const http = createServer();
const io = new Server(http, { transports: ["websocket"] });
io.on("connection", (socket) => {
  let room, seat;
  socket.on("join", (name) => {
    room = name;
    seat = sit(room);
    socket.join(room);
    socket.emit("seat", { seat });
  });
  socket.on("move", (move) => io.to(room).emit("moved", play(room, seat, move)));
});
http.listen(Number(process.argv[2]), "127.0.0.1");
