/* A player of Clue (docs/reference/clue.md) that stays where it is: clue HOST PORT NAME
   Your task: keep notes, read the map, roll, and accuse. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char name[1100], data[1100], *words[30];
static int count;

static int receive(FILE *in) { /* two lines; the second in words, without parentheses */
    if (!fgets(name, sizeof name, in) || !fgets(data, sizeof data, in))
        return 0;
    count = 0;
    for (char *word = strtok(data, "() \r\n"); word && count < 30; word = strtok(NULL, "() \r\n"))
        words[count++] = word;
    return count;
}

static int is(const char *wanted) { return strncmp(name, wanted, strlen(wanted)) == 0; }

int main(int given, char **arguments) {
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    char cards[3][20] = {""}, place[2][4], token = '0';
    int server = -1;
    if (given != 4 || getaddrinfo(arguments[1], arguments[2], &hints, &at) != 0 ||
        connect(server = socket(at->ai_family, SOCK_STREAM, 0), at->ai_addr, at->ai_addrlen) != 0)
        return fprintf(stderr, "Error: no server there: clue HOST PORT NAME\n"), 1;
    FILE *in = fdopen(server, "r"), *out = fdopen(dup(server), "w");
    fprintf(out, "%s\n", arguments[3]);
    while (fflush(out), receive(in)) {
        if (is("hello")) {
            token = words[0][0];
            for (int card = 1; card < count; card++)
                snprintf(cards[card - 1], sizeof cards[0], "%s", words[card]);
        } else if (is("turn")) {
            for (int half = 0; half < 2; half++)
                snprintf(place[half], sizeof place[0], "%s", words[2 * (token - '0') + half]);
            fprintf(out, "no-roll\n");
        } else if (is("rolled")) {
            int in_room = place[0][0] >= 'A';
            fprintf(out, "(%s %s)\n", place[0], in_room ? "V" : place[1]);
        } else if (is("suggest")) {
            fprintf(out, "(0 rope %s)\n", place[0]);
        } else if (is("moved") && words[count - 1][0] == token) {
            int shown = 0; /* SUGGESTION is the three words before the last one */
            for (int card = 0; card < 9 && !shown; card++)
                if (strcmp(cards[card / 3], words[count - 4 + card % 3]) == 0)
                    shown = fprintf(out, "%s\n", cards[card / 3]);
        } else if (is("counter"))
            printf("%s %s\n", words[0], count > 1 ? words[1] : "");
    }
    puts("The game is over.");
}
