// How many can play a game.

/**
 * Possible numbers of players, in words.
 * @param {number[]} seats
 */
export function saySeats(seats) {
  const [least, most] = [Math.min(...seats), Math.max(...seats)];
  return least === most
    ? String(least)
    : seats.length === most - least + 1
      ? `${least}–${most}`
      : seats.toSorted((one, other) => one - other).join(", ");
}
