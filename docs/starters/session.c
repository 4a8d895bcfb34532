/* A client of the two-player session (docs/reference/session.md): session HOST PORT */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static char board[3][3];
static int server, me;

static int receive(void) { /* MSG_WAITALL: TCP may bring the four bytes one by one */
    uint32_t number;
    if (recv(server, &number, sizeof number, MSG_WAITALL) == sizeof number)
        return (int)ntohl(number);
    exit(fprintf(stderr, "Error: the server has closed the connection.\n") > 0);
}

static int ask(const char *prompt) {
    char line[100];
    int number;
    do {
        printf("%s", prompt);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || line[0] == 'Q')
            exit(0);
    } while (sscanf(line, "%d", &number) != 1 || number < 0 || number > 2);
    return number;
}

static void place_a_mark(void) {
    int column, row;
    for (row = 0; row < 3; row++)
        printf("%.3s\n", board[row]);
    do {
        column = ask("Column: ");
        row = ask("Row: ");
    } while (board[row][column] != '.' && puts("That cell is taken."));
    board[row][column] = me == 1 ? 'X' : 'O';
    uint32_t move[] = {htonl((uint32_t)row), htonl((uint32_t)column)};
    send(server, move, sizeof move, 0);
}

int main(int count, char **words) {
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    if (count != 3 || getaddrinfo(words[1], words[2], &hints, &at) != 0 ||
        connect(server = socket(at->ai_family, SOCK_STREAM, 0), at->ai_addr, at->ai_addrlen) != 0)
        return fprintf(stderr, "Error: no server there: session HOST PORT\n"), 1;
    memset(board, '.', sizeof board);
    printf("You are player %d.\n", me = receive());
    if (me == 1 && receive()) /* another 1, when player 2 is there */
        place_a_mark();
    int status;
    while ((status = receive()) == 4) {
        int row = receive();
        board[row][receive()] = me == 1 ? 'O' : 'X';
        place_a_mark();
    }
    puts(status == me ? "You have won." : status == 3 ? "A draw." : "You have lost.");
}
