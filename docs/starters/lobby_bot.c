/* A bot of the lobby protocol (docs/reference/lobby.md): lobby_bot HOST PORT NAME [WISH]
   It asks for match after match by WISH, and returns to its seat after a lost connection. */
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char line[1 << 20], value[1000];

/* The text or number, or the first one of a list, behind a key of an object; empty: none. */
static char *find(const char *at, const char *key) {
    *value = 0;
    for (int depth = 0, quoted = 0; *at; at += 1 + (at[0] == '\\' && at[1] != 0)) {
        quoted ^= *at == '"';
        depth += quoted ? 0 : (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (quoted && depth == 1 && strncmp(at, key, strlen(key)) == 0) {
            at += strlen(key), at += strspn(at, " [");
            const char *ends = *at == '"' ? at++, "\"" : ",}]";
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at, ends), at);
            break;
        }
    }
    return value;
}
static void receive(FILE *out, const char *wish) {
    int answer = atoi(find(line, "\"answer\":")), failed = *find(line, "\"error\":") != 0;
    char *held = strstr(line, "\"held\":[{"), *event = find(line, "\"event\":");
    if ((answer == 1 && failed) || strcmp(event, "replaced") == 0) /* by another program */
        exit(fprintf(stderr, "Error: %s.\n", failed ? find(line, "\"message\":") : event) > 0);
    if (answer == 1 && held != NULL) /* the first seat of this account */
        fprintf(out, "{\"do\":\"join\",\"room\":\"%s\",\"take\":true,\"id\":2}\n",
                find(strchr(held, '{'), "\"room\":"));
    else if (answer == 1 || (answer == 2 && failed) || (strcmp(event, "ended") == 0 && puts(line)))
        fprintf(out, "%s\n", wish);
    if (strcmp(find(line, "\"state\":"), "open") == 0 && *find(line, "\"challenge\":"))
        fprintf(out, "{\"do\":\"respond\",\"how\":\"accept\",\"challenge\":\"%s\"}\n", value);
    if (*find(line, "\"moves\":")) /* your task: a better move than the first one */
        fprintf(out, "{\"do\":\"move\",\"move\":\"%s\",", value),
            fprintf(out, "\"room\":\"%s\",", find(line, "\"room\":")),
            fprintf(out, "\"at\":%s}\n", find(line, "\"n\":"));
}

int main(int count, char **words) {
    const char *secret = getenv("PASSWORD");
    struct addrinfo *at, hints = {.ai_socktype = SOCK_STREAM};
    if (count < 4 || getaddrinfo(words[1], words[2], &hints, &at) != 0)
        return fprintf(stderr, "Error: lobby_bot HOST PORT NAME [WISH]\n"), 1;
    for (signal(SIGPIPE, SIG_IGN);; sleep(1)) {
        int server = socket(at->ai_family, SOCK_STREAM, 0);
        connect(server, at->ai_addr, at->ai_addrlen); /* without a server, reading fails, too */
        FILE *in = fdopen(server, "r"), *out = fdopen(dup(server), "w");
        for (int id = 0; id < 2; id++)
            fprintf(out, "{\"do\":\"%s\",\"user\":\"%s\",\"password\":\"%s\",\"id\":%d}\n",
                    id ? "login" : "register", words[3], secret ? secret : "secret", id);
        while (fflush(out) == 0 && fgets(line, sizeof line, in) && strchr(line, '\n'))
            receive(out, count > 4 ? words[4] : "{\"do\":\"seek\",\"game\":\"tictactoe\"}");
        fprintf(stderr, "Error: no server there; trying again.\n"), fclose(in), fclose(out);
    }
}
