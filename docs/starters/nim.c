/* A client of Nim (docs/reference/nim.md): cc -o nim nim.c && ./nim HOST PORT */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { PLAY = 1, TURN, MOVE, WIN, LOSE, EXIT };

static int server;

static void stop(const char *error) {
    fprintf(stderr, "Error: %s.\n", error);
    exit(1);
}

static void receive(void *data, size_t size) { /* MSG_WAITALL: TCP may split a message */
    if (recv(server, data, size, MSG_WAITALL) != (ssize_t)size)
        stop("the server has closed the connection");
}

static void take_turn(void) {
    unsigned char count, move[6] = {MOVE};
    uint32_t numbers[255];
    unsigned at, amount;
    char line[100];
    if (receive(&count, 1), count == 0)
        stop("the server sent an empty list");
    receive(numbers, 4 * count);
    for (int i = 0; i < count; i++) {
        if (numbers[i] == 0)
            stop("the server sent a zero");
        printf("%d: %u   ", i + 1, numbers[i] = ntohl(numbers[i]));
    }
    do {
        printf("\nPosition and amount: ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || line[0] == 'Q') {
            send(server, (char[]){EXIT}, 1, 0);
            exit(0);
        }
    } while (sscanf(line, "%u %u", &at, &amount) != 2 || at < 1 || at > count || amount < 1 ||
             amount > numbers[at - 1]);
    move[1] = (unsigned char)(at - 1);
    for (int i = 0; i < 4; i++)
        move[2 + i] = (unsigned char)(amount >> (24 - 8 * i));
    send(server, move, sizeof move, 0);
}

int main(int count, char **words) {
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    if (count != 3 || getaddrinfo(words[1], words[2], &hints, &at) != 0 ||
        connect(server = socket(at->ai_family, SOCK_STREAM, 0), at->ai_addr, at->ai_addrlen) != 0)
        stop("no server there: nim HOST PORT");
    unsigned char type = PLAY;
    for (send(server, &type, 1, 0); receive(&type, 1), type == TURN || type == WIN;)
        type == TURN ? take_turn() : (void)puts("You have won! Waiting for the next player...");
    type == LOSE ? (void)puts("You have lost.") : stop("the server sent an unknown type");
}
