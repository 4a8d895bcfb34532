/* A client of the rooms protocol (docs/reference/rooms.md) that says what it hears: rooms HOST PORT
   Your task: the texts for a person, and checks of what is typed. */
#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const commands[][4] = { /* and what each asks for */
    {"LOGIN", "Enter username: ", "Enter password: "},
    {"REGISTER", "Enter username: ", "Enter password: "},
    {"ROOMLIST", "Do you want to have a room list as player or viewer? (Player/Viewer) "},
    {"CREATE", "Enter room name you want to create: "},
    {"JOIN", "Enter room name you want to join: ",
     "You wish to join the room as: (Player/Viewer) "},
    {"PLACE", "Column: ", "Row: "}, {"FORFEIT"}};
static char line[9000];

static char *ask(const char *prompt, int in_capitals) {
    printf("%s", prompt);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; in_capitals && *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return line;
}

int main(int count, char **words) {
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    int server, me = 0, turn = 0;
    if (count != 3 || getaddrinfo(words[1], words[2], &hints, &at) != 0 ||
        connect(server = socket(at->ai_family, SOCK_STREAM, 0), at->ai_addr, at->ai_addrlen) != 0)
        return fprintf(stderr, "Error: no server there: rooms HOST PORT\n"), 1;
    FILE *in = fdopen(server, "r"), *out = fdopen(dup(server), "w");
    while (turn != me || strcmp(ask("", 1), "QUIT") != 0) {
        if (turn == me) {
            int which = 0;
            while (which < 6 && strcmp(commands[which][0], line) != 0)
                which++; /* what isn't known gives up: your task, too */
            fprintf(out, "%s", commands[which][0]);
            for (const char *const *prompt = &commands[which][1]; *prompt; prompt++)
                fprintf(out, ":%s", ask(*prompt, strstr(*prompt, "(Player") != NULL));
            fprintf(out, "\n"), fflush(out);
        }
        if (!fgets(line, sizeof line, in))
            return fprintf(stderr, "Error: the server has closed the connection.\n"), 1;
        printf("%s", line);
        if (strstr(line, "CREATE:ACKSTATUS:0") || strstr(line, "JOIN:ACKSTATUS:0"))
            me = line[0] == 'J', turn = -1; /* until it is known whose turn it is */
        else if (line[0] == 'G' || (line[0] == 'B' && line[1] == 'E')) /* GAMEEND, BEGIN */
            turn = line[0] == 'G' ? me : 0;
        else if (strncmp(line, "BOARDSTATUS:", 12) == 0)
            for (turn = 0, count = 12; line[count]; count++)
                turn += (line[count] == '1') - (line[count] == '2');
    }
}
