#!/usr/bin/env bash
# Runs a server and its standby on this machine, on 127.0.0.1 only, until Ctrl-C: PostgreSQL, two
# servers, and HAProxy before them on ports 5000 (programs) and 5080 (web client).
#
#   deploy/standby.sh [FOLDER]        everything is kept in ./standby
#
# Needs postgresql and haproxy (Debian's packages of these names), and tictac with its extras postgres
# and web, in ./.venv or on the PATH. FIRST_PORT (5000) and the one 80 above it are HAProxy's; the
# servers' ports follow 1 and 81 above it, their --admin ports 101, and PostgreSQL 202.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-standby}
port=${FIRST_PORT:-5000}
postgres_port=$((port + 202))

PATH=$PWD/.venv/bin:$PATH:/usr/sbin
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -n 1)
for program in twistd haproxy "$postgres/initdb"; do
    command -v "$program" >/dev/null || { echo "Error: there is no $program" >&2; exit 1; }
done

mkdir -p "$folder/postgres"
folder=$(cd "$folder" && pwd)
chmod 700 "$folder/postgres"
# PostgreSQL refuses to run as root.
ordinary=()
if [ "$(id -u)" -eq 0 ]; then
    chown nobody "$folder/postgres"
    ordinary=(setpriv --reuid nobody --regid nogroup --clear-groups)
fi

# The last one first: the servers still need the database when they stop.
jobs=()
finish() {
    trap - EXIT INT TERM
    local at
    for ((at = ${#jobs[@]} - 1; at >= 0; at--)); do
        kill "${jobs[at]}" 2>/dev/null || true
        wait "${jobs[at]}" || true
    done
}
trap finish EXIT
trap 'exit 0' INT TERM

start() { # start NAME COMMAND...: in the background, its output in FOLDER/NAME.log
    local log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null &
    jobs+=($!)
}

wait_for() { # wait_for NAME COMMAND...: until the command works
    local name=$1 i
    shift
    for ((i = 0; i < 300; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "Error: $name doesn't answer; see $folder/$name.log" >&2
    exit 1
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

data=$folder/postgres/data
[ -e "$data/PG_VERSION" ] ||
    "${ordinary[@]}" "$postgres/initdb" --pgdata "$data" --username tictac --auth trust \
        --encoding UTF8 --locale C >"$folder/initdb.log" 2>&1
start postgres "${ordinary[@]}" "$postgres/postgres" -D "$data" -c listen_addresses=127.0.0.1 \
    -c port="$postgres_port" -c unix_socket_directories=

wait_for postgres "$postgres/pg_isready" -h 127.0.0.1 -p "$postgres_port"

for backend in rooms=0 web=80; do
    echo "backend ${backend%=*}"
    for server in 1 2; do
        echo "    server server$server 127.0.0.1:$((port + ${backend#*=} + server))" \
            "port $((port + 100 + server))"
    done
done >"$folder/servers.cfg"

for server in 1 2; do
    start "server$server" twistd -n --pidfile "$folder/server$server.pid" tictac \
        --port "haproxy:tcp:$((port + server)):interface=127.0.0.1" \
        --web "haproxy:tcp:$((port + 80 + server)):interface=127.0.0.1" \
        --admin "tcp:$((port + 100 + server)):interface=127.0.0.1" \
        --max-rooms-per-user 3 --min-password 8 \
        --database "postgresql://tictac@127.0.0.1:$postgres_port/postgres"
    wait_for "server$server" listens $((port + 100 + server))
done

export ROOMS=127.0.0.1:$port WEB=127.0.0.1:$((port + 80))
start haproxy haproxy -db -f "$here/haproxy.cfg" -f "$folder/servers.cfg"
wait_for haproxy listens "$port"

echo "a server and its standby: tictac play 127.0.0.1 $port, or http://$WEB     (Ctrl-C ends them; kept in $folder)"
wait
