"""Connect Four for two at one keyboard, where yellow begins; moves are like ``d 3`` and ``p 3``.

``connectfour_console.py``
"""

# mypy: ignore-errors

COLUMNS, ROWS = 7, 6
PLAYERS = ["Y", "R"]
NAMES = {"Y": "yellow", "R": "red"}


class InvalidMoveError(Exception):
    pass


def new_board():
    return [[] for _ in range(COLUMNS)]  # each column from the bottom up


def cell(board, x, y):
    if not (0 <= x < COLUMNS and 0 <= y < len(board[x])):
        return "."
    return board[x][y]


def show(board):
    print(" ".join(str(x + 1) for x in range(COLUMNS)))
    for y in range(ROWS - 1, -1, -1):
        print(" ".join(cell(board, x, y) for x in range(COLUMNS)))
    print()


def four_in_a_row(board, mark):
    for x in range(COLUMNS):
        for y in range(ROWS):
            for dx, dy in [(1, 0), (0, 1), (1, 1), (1, -1)]:
                if all(cell(board, x + n * dx, y + n * dy) == mark for n in range(4)):
                    return True
    return False


def winner(board, mover):
    for mark in [mover, *PLAYERS]:
        if four_in_a_row(board, mark):
            return mark
    return None


def make(board, mark, line):
    words = line.lower().split()
    if len(words) != 2 or words[0] not in ("d", "p") or not words[1].isdecimal():
        raise InvalidMoveError("That is no move.")
    column = int(words[1])
    if not 1 <= column <= COLUMNS:
        raise InvalidMoveError("There is no such column.")
    pieces = board[column - 1]
    if words[0] == "d":
        if len(pieces) == ROWS:
            raise InvalidMoveError("That column is full.")
        pieces.append(mark)
    else:
        if pieces[:1] != [mark]:
            raise InvalidMoveError("There is no piece of yours.")
        del pieces[0]


def main():
    board = new_board()
    turn = 0
    while True:
        show(board)
        mark = PLAYERS[turn % 2]
        try:
            line = input(f"{NAMES[mark]}, d (drop) or p (pop), and a column: ")
        except EOFError:
            return
        try:
            make(board, mark, line)
        except InvalidMoveError as error:
            print(error)
            continue
        turn += 1
        won = winner(board, mark)
        if won:
            show(board)
            print(NAMES[won], "wins.")
            return


main()
