/* A client of Connect Four (docs/reference/connect-four.md): connectfour HOST PORT NAME */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static FILE *in, *out;
static char line[300];

static void tell(const char *words, const char *more) {
    fprintf(out, "%s%s\r\n", words, more);
    fflush(out);
}

static void receive(const char *initials) { /* a line that begins with one of these letters */
    if (!fgets(line, sizeof line, in))
        strcpy(line, "nothing any more");
    line[strcspn(line, "\r\n")] = 0;
    if (strchr(initials, line[0]))
        return;
    fprintf(stderr, "Error: the server sent %s.\n", line);
    exit(1);
}

static void ask(void) { /* the server judges the column */
    int column;
    do {
        printf("DROP or POP, and a column: ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || line[0] == 'Q')
            exit(0);
    } while (!sscanf(line, "DROP %d", &column) && !sscanf(line, "POP %d", &column));
    line[strcspn(line, "\n")] = 0;
    tell(line, "");
}

int main(int count, char **words) {
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    int server = -1;
    if (count != 4 || getaddrinfo(words[1], words[2], &hints, &at) != 0 ||
        connect(server = socket(at->ai_family, SOCK_STREAM, 0), at->ai_addr, at->ai_addrlen) != 0)
        return fprintf(stderr, "Error: no server there: connectfour HOST PORT NAME\n"), 1;
    in = fdopen(server, "r"), out = fdopen(dup(server), "w");
    tell("I32CFSP_HELLO ", words[3]), receive("W"); /* WELCOME */
    tell("AI_GAME", ""), receive("R");              /* READY */
    while (line[0] != 'W') {                        /* WINNER_RED, WINNER_YELLOW */
        ask();
        receive("OIW");
        if (line[0] == 'O') { /* OKAY */
            receive("DP");
            printf("Yellow: %s\n", line); /* your task: draw the board, and check the move */
            receive("RW");
        } else if (line[0] == 'I') /* INVALID */
            receive("R");
    }
    puts(line);
}
