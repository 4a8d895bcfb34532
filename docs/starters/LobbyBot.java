// A bot of the lobby protocol (docs/reference/lobby.md): java LobbyBot.java HOST PORT NAME [WISH]
// It asks for match after match by WISH, and returns to its seat after a lost connection.
import java.io.*;
import java.net.Socket;
import java.util.*;
import java.util.regex.*;
class LobbyBot {
    static Pattern token = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|[\\[{]|([]}])|[\\w.+-]+");
    static PrintStream out;
    /** Read a value of JSON; null at the end of a list or object. Numbers and null are texts. */
    static Object read(Matcher json) {
        if (!json.find() || json.group(2) != null) return null;
        if (json.group(1) != null) return json.group(1).replaceAll("\\\\(.)", "$1");
        String token = json.group();
        var map = new HashMap<Object, Object>();
        var list = new ArrayList<Object>();
        for (Object key; token.equals("{") && (key = read(json)) != null;) map.put(key, read(json));
        for (Object each; token.equals("[") && (each = read(json)) != null;) list.add(each);
        return token.equals("{") ? map : token.equals("[") ? list : token;
    }

    static void send(String form, Object... values) {
        out.printf(form.replace('\'', '"') + "\n", values);
    }
    static void receive(Map<?, ?> told, String[] words) {
        Object answer = told.get("answer"), event = told.get("event"), failed = told.get("error");
        if ("login".equals(answer) && failed != null || "replaced".equals(event)) {
            System.err.println("Error: " + (failed == null ? event : told.get("message")) + ".");
            System.exit(1);
        }
        if (told.get("seats") instanceof Map<?, ?> all && all.get("held") instanceof List<?> held
                && held.get(0) instanceof Map<?, ?> seat)
            send("{'do':'join','take':true,'id':'join','room':'%s'}", seat.get("room"));
        else if ("login".equals(answer) || "ended".equals(event) || "no-such-room".equals(failed))
            send("%s", words.length > 3 ? words[3] : "{\"do\":\"seek\",\"game\":\"tictactoe\"}");
        if ("challenge".equals(event) && "open".equals(told.get("state")))
            send("{'do':'respond','how':'accept','challenge':'%s'}", told.get("challenge"));
        if ("ended".equals(event)) System.out.println(told);
        if (told.get("moves") instanceof List<?> moves && !moves.isEmpty())
            send("{'do':'move','room':'%s','at':%s,'move':'%s'}", told.get("room"), told.get("n"),
                moves.get(new Random().nextInt(moves.size()))); // your task: a better one
    }

    public static void main(String[] words) throws InterruptedException {
        String secret = System.getenv().getOrDefault("PASSWORD", "secret"), line;
        for (;; Thread.sleep(1000)) {
            try (Socket server = new Socket(words[0], Integer.parseInt(words[1]))) {
                out = new PrintStream(server.getOutputStream(), true, "UTF-8");
                send("{'do':'register','user':'%s','password':'%s'}", words[2], secret);
                send("{'do':'login','user':'%s','password':'%s','id':'login'}", words[2], secret);
                var in = new InputStreamReader(server.getInputStream(), "UTF-8");
                for (var lines = new BufferedReader(in); (line = lines.readLine()) != null;)
                    receive((Map<?, ?>) read(token.matcher(line)), words);
                throw new IOException("the server has closed the connection");
            } catch (IOException lost) {
                System.err.println("Error: " + lost.getMessage() + "; trying again.");
            }
        }
    }
}
