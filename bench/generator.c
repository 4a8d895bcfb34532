/* Plays whole matches in many rooms at once and measures how the server answers.
 *
 *   generator PORTS ROOMS VIEWERS THINK_MS SERVER_PIDS LAST
 *
 * PORTS and SERVER_PIDS are lists with commas: the people in a room go to the ports in turn, and
 * the processor time is that of all the processes together. Logs two players and VIEWERS viewers a room in (users "ann", "ben" and "vic", password "pw"),
 * prints "ready", and then, for every line "WARM_UP SECONDS" on standard input, plays on and
 * prints one JSON object about those seconds. In between all rooms stand still. A room always
 * has one step under way: a request, until everybody who should hear of it has. With THINK_MS
 * it waits 0.5 to 1.5 times as long before each step. LAST is how the answer to a match's
 * ninth move begins: servers without rules don't know that it is over.
 *
 * Times of moves are taken from the request until the last one in the room has its answer. Those
 * that are under way at the end of the seconds are waited for, and their times count: they are
 * the longest when the server stands still.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ANN, BEN, VIEWER, STEPS = 12, MAX_SAMPLES = 1 << 22, MAX_COMPLAINTS = 5, MANY = 8 };

/* own: the answer to who asked; everybody: what all in the room get after it. */
typedef struct { int who; const char *request, *own, *everybody; } Step;
typedef struct { int fd, role, room, heard; size_t held; char buffer[1024]; } Client;
typedef struct { int step, missing; bool parked; int64_t asked, due; Client *clients; } Room;

#define MOVE(who, place) { who, "PLACE:" place, NULL, "BOARDSTATUS:" }

static Step steps[STEPS] = {
    { ANN, "CREATE:room%d", "CREATE:ACKSTATUS:0", NULL },
    { VIEWER, "JOIN:room%d:VIEWER", "JOIN:ACKSTATUS:0", NULL },
    { BEN, "JOIN:room%d:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:" },
    MOVE(ANN, "0:0"), MOVE(BEN, "1:1"), MOVE(ANN, "2:2"), MOVE(BEN, "2:1"), MOVE(ANN, "0:1"),
    MOVE(BEN, "0:2"), MOVE(ANN, "2:0"), MOVE(BEN, "1:0"), MOVE(ANN, "1:2"),
};
static const char *users[] = { "ann", "ben", "vic" };

static Client *clients;
static Room *rooms;
static int n_rooms, n_viewers, room_size, n_parked, epoll;
static int ports[MANY], n_ports, servers[MANY], n_servers;
static int64_t think;
static bool stopping, measuring;
static int64_t measured_until;
static uint64_t requests, moves, lines, errors, n_samples;
static uint32_t *samples;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) {
    perror(what);
    exit(2);
}

static void complain(const Client *c, const char *what, size_t size) {
    if (errors++ < MAX_COMPLAINTS)
        fprintf(stderr, "room %d, %s, step %d: %.*s\n", c->room, users[c->role],
                rooms[c->room].step, (int)size, what);
}

static void ask(Client *c, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    text[size++] = '\n';
    if (send(c->fd, text, size, MSG_NOSIGNAL) != size)
        complain(c, "not sent", 8);
    requests++;
}

static int lines_for(const Step *s, int role) {
    return (s->own && role == s->who) + (s->everybody != NULL);
}

static void begin_step(Room *room) {
    const Step *s = &steps[room->step];
    room->due = 0;
    room->missing = 0;
    for (int i = 0; i < room_size; i++) {
        room->clients[i].heard = 0;
        room->missing += lines_for(s, room->clients[i].role);
    }
    room->asked = now();
    for (int i = 0; i < room_size; i++)
        if (room->clients[i].role == s->who)
            ask(&room->clients[i], s->request, room->clients[i].room);
}

static void next_step(Room *room, int64_t t) {
    if (stopping) {
        room->parked = true;
        n_parked++;
    } else if (think) {
        room->due = t + think / 2 + rand() % think;
    } else {
        begin_step(room);
    }
}

static void end_step(Room *room) {
    int64_t t = now();
    if (!steps[room->step].own && room->asked < measured_until && n_samples < MAX_SAMPLES) {
        samples[n_samples++] = (uint32_t)((t - room->asked) / 100);
        moves += measuring;
    }
    room->step = (room->step + 1) % STEPS;
    if (steps[room->step].who == VIEWER && !n_viewers)
        room->step++;
    next_step(room, t);
}

static void hear(Client *c, const char *line, size_t size) {
    Room *room = &rooms[c->room];
    const Step *s = &steps[room->step];
    const char *wanted = s->own && c->role == s->who && !c->heard ? s->own : s->everybody;
    lines++;
    if (room->parked || c->heard >= lines_for(s, c->role) || strncmp(line, wanted, strlen(wanted)))
        return complain(c, line, size);
    c->heard++;
    if (--room->missing == 0)
        end_step(room);
}

static void receive(Client *c) {
    ssize_t got = recv(c->fd, c->buffer + c->held, sizeof c->buffer - c->held, 0);
    if (got <= 0) {
        if (got < 0 && errno == EAGAIN)
            return;
        complain(c, "closed", 6);
        exit(1);
    }
    char *line = c->buffer, *end = line + c->held + got, *stop;
    while ((stop = memchr(line, '\n', end - line))) {
        *stop = 0;
        hear(c, line, stop - line);
        line = stop + 1;
    }
    c->held = end - line;
    memmove(c->buffer, line, c->held);
}

static void play_until(int64_t end) {
    static struct epoll_event events[512];
    for (int64_t t = now(); t < end && !(stopping && n_parked == n_rooms); t = now()) {
        for (int i = 0; think && i < n_rooms; i++)
            if (rooms[i].due && (stopping || rooms[i].due <= t)) {
                rooms[i].due = 0;
                stopping ? next_step(&rooms[i], t) : begin_step(&rooms[i]);
            }
        int n = epoll_wait(epoll, events, 512, 1);
        for (int i = 0; i < n; i++)
            receive(events[i].data.ptr);
    }
}

static double cpu_seconds(clockid_t id) {
    struct timespec t = { 0, 0 };
    clock_gettime(id, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double server_seconds(void) {
    double sum = 0;
    for (int i = 0; i < n_servers; i++) {
        clockid_t id;
        if (clock_getcpuclockid(servers[i], &id))
            die("the server's clock");
        sum += cpu_seconds(id);
    }
    return sum;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static double quantile_us(double q) {
    return n_samples ? samples[(uint64_t)(q * (n_samples - 1))] / 10.0 : 0;
}

static void burst(double warm_up, double seconds) {
    stopping = false;
    n_parked = 0;
    int64_t begin = now();
    for (int i = 0; i < n_rooms; i++) {
        rooms[i].parked = false;
        next_step(&rooms[i], begin);
    }
    play_until(begin + (int64_t)(warm_up * 1e9));
    requests = moves = lines = n_samples = 0;
    measuring = true;
    measured_until = INT64_MAX;
    begin = now();
    double cpu = server_seconds(), own = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    play_until(begin + (int64_t)(seconds * 1e9));
    measuring = false;
    measured_until = now();
    double elapsed = (now() - begin) / 1e9;
    cpu = server_seconds() - cpu;
    own = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - own;
    uint64_t asked = requests, heard = lines;
    stopping = true;
    play_until(now() + 30000000000LL);
    if (n_parked != n_rooms) {
        fprintf(stderr, "%d rooms had no answer in 30 s\n", n_rooms - n_parked);
        exit(1);
    }
    measured_until = 0;
    qsort(samples, n_samples, sizeof *samples, compare);
    printf("{\"seconds\": %.6f, \"requests\": %lu, \"moves\": %lu, \"lines\": %lu, \"cpu\": %.6f, "
           "\"own_cpu\": %.6f, \"p50\": %.1f, \"p99\": %.1f, \"worst\": %.1f, \"errors\": %lu}\n",
           elapsed, asked, moves, heard, cpu, own, quantile_us(0.5), quantile_us(0.99),
           quantile_us(1), errors);
    fflush(stdout);
}

static int connect_to(int port) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct linger reset = { 1, 0 }; /* so that ports don't stay in TIME_WAIT */
    struct timeval patience = { 60, 0 };
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static void set_up(void) {
    static const char welcome[] = "LOGIN:ACKSTATUS:0\n";
    int all = n_rooms * room_size;
    for (int i = 0; i < all; i++) {
        Client *c = &clients[i];
        c->room = i / room_size;
        c->fd = connect_to(ports[(c->room + i % room_size) % n_ports]);
        c->role = i % room_size < VIEWER ? i % room_size : VIEWER;
        if (i % room_size == 0)
            rooms[c->room] = (Room){ .clients = c, .parked = true };
        ask(c, "LOGIN:%s:pw", users[c->role]);
    }
    for (int i = 0; i < all; i++) {
        Client *c = &clients[i];
        ssize_t got = recv(c->fd, c->buffer, sizeof welcome - 1, MSG_WAITALL);
        if (got != sizeof welcome - 1 || memcmp(c->buffer, welcome, got)) {
            complain(c, c->buffer, got < 0 ? 0 : got);
            exit(1);
        }
        fcntl(c->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event))
            die("epoll_ctl");
    }
}

static int read_list(const char *text, int *numbers) {
    int n = 0;
    for (char *end; n < MANY; text = end + 1) {
        numbers[n++] = strtol(text, &end, 10);
        if (*end != ',')
            break;
    }
    return n;
}

int main(int count, char **arguments) {
    if (count != 7)
        return fprintf(stderr, "PORTS ROOMS VIEWERS THINK_MS SERVER_PIDS LAST\n"), 2;
    n_rooms = atoi(arguments[2]);
    n_viewers = atoi(arguments[3]);
    room_size = 2 + n_viewers;
    think = (int64_t)(atof(arguments[4]) * 1e6);
    steps[STEPS - 1].everybody = arguments[6];
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    clients = calloc((size_t)n_rooms * room_size, sizeof *clients);
    rooms = calloc(n_rooms, sizeof *rooms);
    samples = malloc(MAX_SAMPLES * sizeof *samples);
    epoll = epoll_create1(0);
    if (!clients || !rooms || !samples)
        die("setting up");
    n_ports = read_list(arguments[1], ports);
    n_servers = read_list(arguments[5], servers);
    set_up();
    puts("ready");
    fflush(stdout);
    double warm_up, seconds;
    while (scanf("%lf %lf", &warm_up, &seconds) == 2)
        burst(warm_up, seconds);
    return errors != 0;
}
