"""The desk of a teacher in the lobby protocol: rights, presence, pairs, slips, marks, codes."""

from __future__ import annotations

import csv
import io
from typing import Any

from tests.archive.helpers import ALICE, BOB, COMPUTER, match
from tests.logs import log, texts
from tests.plugins.desk.served import NOW, DeskCase
from tests.protocols.lobby.helpers import Person, events
from tictac.accounts.tables import AccountTables
from tictac.accounts.throttle import LoginThrottle
from tictac.archive.match import Player
from tictac.archive.tables import MatchTables
from tictac.plugins.desk import codes
from tictac.plugins.desk import request_handlers as handlers

ACTS: tuple[dict[str, Any], ...] = (
    {}, {"act": "add", "users": ["dora"]}, {"act": "slips", "users": ["alice"]},
    {"act": "rule", "rule": "play 1 match"}, {"act": "drop", "number": 1}, {"act": "export"},
)  # fmt: skip
"""All that a teacher can do with a group."""


class RightsTests(DeskCase):
    def test_a_pupil_has_no_desk(self) -> None:
        alice = Person(self.server, "alice")
        for act in ACTS:
            assert self.ask(alice, **act)["error"] == "not-a-teacher", act
        assert alice.error("pair", group="7b", game="nim") == "not-a-teacher"
        assert alice.error("desk") == "not-a-teacher"
        assert self.ask(alice, act="teacher", users=["alice"])["error"] == "not-a-teacher"

    def test_a_guest_and_a_visitor_have_none(self) -> None:
        visitor = Person(self.server)
        assert visitor.error("desk", group="7b") == "not-logged-in"
        visitor.ask("guest")
        for act in ACTS:
            assert self.ask(visitor, **act)["error"] == "not-a-teacher", act

    def test_a_teacher_has_the_own_groups_alone(self) -> None:
        assert "error" not in self.ask()
        for act in ACTS:
            assert self.ask(group="8a", **act)["error"] == "not-a-teacher", act
        assert self.teacher.error("pair", group="8a", game="nim") == "not-a-teacher"
        assert self.ask(act="slips", users=["zoe"])["error"] == "no-such-pupil"
        assert self.ask(act="teacher", users=["alice"])["error"] == "not-an-admin"
        [answer] = self.teacher.ask("desk")
        assert answer["groups"] == ["7b"]

    def test_a_teacher_sets_no_password_of_an_admin_or_another_teacher(self) -> None:
        self.tables.set_teacher("carol", "8a", True)
        for name in ("boss", "carol"):
            assert self.ask(act="slips", users=["alice", name])["error"] == "no-such-pupil"
        assert self.pupil("boss")["special"]
        root = Person(self.server, "root")
        assert len(self.ask(root, act="slips", users=["boss", "carol"])["slips"]) == 2

    def test_an_admin_makes_a_teacher_and_ends_that(self) -> None:
        root = Person(self.server, "root")
        assert "error" not in self.ask(root, act="teacher", group="8a", users=["berger"])
        assert self.teacher.ask("desk")[0]["groups"] == ["7b", "8a"]
        self.ask(root, act="teacher", users=["berger"], off=True)
        assert self.ask()["error"] == "not-a-teacher"
        assert self.ask(root, act="teacher", users=["nobody"])["error"] == "no-such-user"
        assert root.ask("desk")[0]["groups"] == ["7b", "8a"]

    def test_a_login_says_what_one_teaches(self) -> None:
        [answer] = Person(self.server).ask("login", user="berger", password="secret")
        assert answer["desk"] == ["7b"]
        [answer] = Person(self.server).ask("login", user="alice", password="secret")
        assert "desk" not in answer

    def test_what_is_done_is_logged_with_the_teacher_and_without_codes(self) -> None:
        with log() as lines:
            answer = self.ask(act="slips", users=["alice"])
        [line] = [each for each in texts(lines) if "desk:" in each]
        assert "'berger'" in line and "slips" in line and "'alice'" in line
        assert answer["slips"][0]["code"] not in line


class PresenceTests(DeskCase):
    def test_where_each_pupil_is(self) -> None:
        assert self.pupil("alice")["state"] == "never"
        alice, bob = self.player("alice"), self.player("bob")
        self.server.log_in("carol")  # by nc, who can't be seated
        self.server.clock.advance(5)
        assert [self.pupil(each)["state"] for each in ("alice", "carol")] == ["waiting", "online"]
        alice.ask("open", game="nim", room="den")
        assert self.pupil("alice")["state"] == "room"
        bob.ask("join", room="den")
        found = self.pupil("alice")
        assert (found["state"], found["room"], found["with"]) == ("playing", "den", ["bob"])
        assert self.ask()["counts"] == {"pupils": 4, "online": 3, "playing": 2, "waiting": 0}

    def test_an_absent_pupil_has_a_last_login(self) -> None:
        alice = self.player("alice")
        self.successResultOf(self.saved())
        alice.visitor.hang_up()
        self.server.clock.advance(5)
        found = self.pupil("alice")
        assert (found["state"], found["seen"]) == ("away", "2027-01-15T08:00:00Z")

    def test_a_private_room_stays_unnamed(self) -> None:
        alice = self.player("alice")
        alice.ask("open", game="nim", private=True)
        assert "room" not in self.pupil("alice") and self.pupil("alice")["state"] == "room"

    def test_a_large_group_comes_in_parts(self) -> None:
        self.tables.add("7b", [f"pupil {n:03}" for n in range(130)], 1000)
        self.server.clock.advance(60)
        first = self.ask()
        assert (len(first["pupils"]), first["next"], first["counts"]["pupils"]) == (100, 100, 134)
        second = self.ask(first=100)
        assert (len(second["pupils"]), second["next"]) == (34, None)


class PairTests(DeskCase):
    def pair(self, **fields: Any) -> Any:
        [answer, *_] = self.teacher.ask("pair", **{"group": "7b", "game": "nim", **fields})
        return answer

    def test_those_who_wait_are_at_a_board(self) -> None:
        alice, bob = self.player("alice"), self.player("bob")
        [room] = self.pair(clock={"initial": 300})["rooms"]
        assert room["users"] == ["alice", "bob"]
        assert "began" in events(alice.read()) and "room" in events(bob.read())
        seated = self.server.registry.room(room["room"])
        assert seated is not None and seated.begun and seated.terms.time is not None
        assert self.pair() == {"answer": None, "rooms": [], "left": []}

    def test_a_player_who_is_left_over_waits_or_plays_the_computer(self) -> None:
        self.player("alice")
        assert self.pair()["left"] == ["alice"]
        answer = self.pair(odd="beginner")
        assert answer["left"] == [] and answer["rooms"][0]["users"] == ["alice"]
        assert self.pair(odd="Pip")["error"] == "bad-option"

    def test_no_pair_meets_again_while_others_are_free(self) -> None:
        people = {name: self.player(name) for name in ("alice", "bob", "carol", "boss")}
        met = []
        for _ in range(3):
            answer = self.pair()
            met += [tuple(sorted(each["users"])) for each in answer["rooms"]]
            for person in people.values():
                person.read()
            for each in answer["rooms"]:
                people[each["users"][0]].ask("resign", room=each["room"])
        assert len(set(met)) == 6

    def test_only_those_who_can_be_seated(self) -> None:
        Person(self.server, "alice")  # a program, which takes no challenges
        self.server.log_in("bob")  # by nc
        self.player("zoe")  # of another group
        self.player("vera")  # of none
        assert self.pair(odd="beginner")["rooms"] == []

    def test_only_the_chosen_ones_are_paired(self) -> None:
        for name in ("alice", "bob", "carol"):
            self.player(name)
        [room] = self.pair(users=["bob", "carol", "zoe"])["rooms"]
        assert room["users"] == ["bob", "carol"]

    def test_those_who_blocked_each_other_arent_paired(self) -> None:
        self.server.lobby.blocks = lambda one, other: {one, other} == {"alice", "bob"}
        self.player("alice")
        self.player("bob")
        assert self.pair()["rooms"] == []

    def test_only_games_of_two(self) -> None:
        assert self.pair(game="clue")["error"] == "bad-option"


class SlipTests(DeskCase):
    def slip(self, name: str = "alice") -> str:
        return str(self.ask(act="slips", users=[name])["slips"][0]["code"])

    def test_a_slip_sets_a_password_once(self) -> None:
        code, visitor = self.slip(), Person(self.server)
        assert visitor.error("code", code=code) == "password-needed"
        [answer] = visitor.ask("code", code=code.upper(), password="my own word")
        assert answer["user"] == "alice"
        [login] = visitor.ask("login", user="alice", token=answer["token"])
        assert login["user"] == "alice"
        [login] = Person(self.server).ask("login", user="alice", password="my own word")
        assert login["user"] == "alice"
        assert visitor.error("code", code=code, password="again") == "bad-code"
        assert Person(self.server).error("login", user="alice", password="secret")

    def test_a_new_slip_ends_the_old_one(self) -> None:
        old = self.slip()
        assert self.slip() != old
        assert Person(self.server).error("code", code=old, password="x") == "bad-code"

    def test_until_it_is_used_the_old_password_stays(self) -> None:
        self.slip()
        assert Person(self.server).ask("login", user="alice", password="secret")[0]["user"]

    def test_a_bad_password_leaves_the_slip(self) -> None:
        self.server.accounts.min_password = 8
        code, visitor = self.slip(), Person(self.server)
        assert visitor.error("code", code=code, password="short") == "bad-password"
        assert "error" not in visitor.ask("code", code=code, password="long enough")[0]

    def test_a_slip_ends_after_days(self) -> None:
        code = self.slip()
        self.server.clock.advance(14 * 86_400)
        assert Person(self.server).error("code", code=code, password="x") == "bad-code"

    def test_added_pupils_need_a_slip(self) -> None:
        assert self.ask(act="add", users=["dora", "Änne Müller"])["added"] == [
            "dora",
            "Änne Müller",
        ]
        assert self.pupil("dora")["state"] == "never"
        assert Person(self.server).error("login", user="dora", password="") == "wrong-password"
        code = self.slip("dora")
        [answer] = Person(self.server).ask("code", code=code, password="word")
        assert answer["user"] == "dora"
        assert self.ask(act="add", users=["emil", "DORA"])["error"] == "user-exists"
        assert AccountTables(self.database).get("emil") is None
        assert self.ask(act="add", users=["computer 1"])["error"] == "user-exists"

    def test_a_group_has_a_limit(self) -> None:
        self.desk._most = 5
        assert self.ask(act="add", users=["dora", "emil"])["error"] == "group-full"
        assert "error" not in self.ask(act="add", users=["dora"])


class CodeTests(DeskCase):
    def test_a_terminal_gets_a_token_by_a_code(self) -> None:
        alice, terminal = Person(self.server, "alice"), Person(self.server)
        [made] = alice.ask("code")
        assert made["seconds"] == 900 and len(made["code"]) == 9
        [answer] = terminal.ask("code", code=made["code"])
        assert terminal.ask("login", user="alice", token=answer["token"])[0]["user"] == "alice"
        assert Person(self.server).error("code", code=made["code"]) == "bad-code"
        [login] = Person(self.server).ask("login", user="alice", password="secret")
        assert login["user"] == "alice"  # the password is the same

    def test_a_code_ends_after_a_quarter_of_an_hour(self) -> None:
        [made] = Person(self.server, "alice").ask("code")
        self.server.clock.advance(900)
        assert Person(self.server).error("code", code=made["code"]) == "bad-code"

    def guess(self, code: str, times: int) -> None:
        """Send wrong codes that begin like the right one."""
        for end in ("aaaa", "bbbb", "cccc", "dddd", "eeee")[:times]:
            self.server.clock.advance(5)  # the address pays for each
            wrong = code[: codes.SELECTS] + end
            assert Person(self.server).error("code", code=wrong) == "bad-code"

    def test_four_wrong_attempts_leave_a_code(self) -> None:
        [made] = Person(self.server, "alice").ask("code")
        self.guess(made["code"], 4)
        assert "error" not in Person(self.server).ask("code", code=made["code"])[0]

    def test_five_wrong_attempts_end_a_code(self) -> None:
        [made] = Person(self.server, "alice").ask("code")
        self.guess(made["code"], 5)
        assert Person(self.server).error("code", code=made["code"]) == "bad-code"

    def test_wrong_codes_slow_their_address(self) -> None:
        clock = self.server.clock
        throttle = LoginThrottle(clock, clock.seconds, 1, 60, 60, forgive=0)
        self.server.accounts._throttle = throttle
        for _ in range(40):  # a class and some to spare
            clock.advance(5)
            assert Person(self.server).error("code", code="aaaa-bbbb") == "bad-code"
        clock.advance(5)
        assert Person(self.server).ask("code", code="aaaa-bbbb") == []  # it waits

    def test_guests_get_none(self) -> None:
        guest = Person(self.server)
        assert guest.error("code") == "not-logged-in"
        guest.ask("guest")
        assert guest.error("code") == "not-logged-in"

    def test_only_the_eight_letters_matter(self) -> None:
        assert codes.plain_code(" ABCD-efgh ") == codes.plain_code("abcd efgh") == "abcdefgh"
        for wrong in ("", "abcd-efg", "abcd-efghj", "abcd-efg1", "abcd-efg\u00e9"):
            assert codes.plain_code(wrong) == ""
        assert Person(self.server).error("code", code="x") == "bad-code"

    def test_a_code_of_a_removed_account_is_gone(self) -> None:
        [made] = Person(self.server, "alice").ask("code")
        AccountTables(self.database).remove("alice")
        assert Person(self.server).error("code", code=made["code"]) == "bad-code"

    def test_without_tokens_there_are_no_codes_for_terminals(self) -> None:
        self.server.accounts.tokens.days = 0
        assert Person(self.server, "alice").error("code") == "no-tokens"


class MarkTests(DeskCase):
    def play(self, number: int, *players: Player, winner: int | None = 0) -> None:
        ended: dict[str, Any] = {"began": NOW + number, "winner": winner}
        ended |= {} if winner is not None else {"ending": "drawn"}
        MatchTables(self.database).add_all([match(f"n{number}", *players, **ended)])

    def marks(self, name: str = "alice") -> Any:
        return self.pupil(name)["marks"]

    def rule(self, text: str, **fields: Any) -> Any:
        return self.ask(act="rule", rule=text, **fields)

    def test_a_level_is_beaten_in_some_of_the_last_matches(self) -> None:
        assert self.rule("beat  beginner of tictactoe in 2 of 3", title="Homework")["number"] == 1
        pip, rook = (Player("computer", "computer", each) for each in ("beginner", "club"))
        for number, winner in enumerate((0, 1, None)):
            self.play(number, ALICE, pip, winner=winner)
        self.play(3, ALICE, rook)
        assert self.marks() == [{"have": 1, "passed": False, "last": "wld"}]
        self.play(4, pip, ALICE, winner=1)
        self.play(5, ALICE, pip)
        assert self.marks() == [{"have": 2, "passed": True, "last": "dww"}]
        for number in range(6, 9):
            self.play(number, pip, ALICE)
        assert self.marks() == [{"have": 2, "passed": True, "last": "lll"}]
        assert self.marks("bob") == [{"have": 0, "passed": False}]
        [rule] = self.ask()["rules"]
        assert (rule["title"], rule["need"], rule["of"]) == ("Homework", 2, 3)

    def test_matches_before_the_rule_dont_count(self) -> None:
        self.play(-100, ALICE, BOB)
        self.rule("play 1 match")
        assert self.marks()[0]["have"] == 0
        self.play(1, ALICE, BOB)
        assert self.marks()[0]["passed"] and self.marks("bob")[0]["passed"]

    def test_only_matches_with_classmates_count(self) -> None:
        self.rule("play 2 matches with classmates")
        self.rule("play 1 match with people")
        self.play(1, ALICE, BOB)
        self.play(2, Player("zoe", "account"), ALICE)
        self.play(3, ALICE, Player("computer", "computer", "club"))
        self.play(4, ALICE, ALICE)
        assert [each["have"] for each in self.marks()] == [1, 2]
        assert [rule["company"] for rule in self.ask()["rules"]] == ["classmates", "people"]

    def test_games_of_a_ladder_dont_count(self) -> None:
        """Programs play them; a tournament of the class is played by its pupils."""
        self.database.execute("INSERT INTO series_tournaments VALUES ('t-260101', 't', 'day', 0)")
        self.rule("play 9 matches")
        self.rule("beat club of tictactoe in 1 of 1")
        ladder = match("n1", ALICE, COMPUTER._replace(level="club"), began=NOW + 1, door="t-260101")
        MatchTables(self.database).add_all([ladder])
        MatchTables(self.database).add_all([match("n2", began=NOW + 2, door="cup")])
        assert [each["have"] for each in self.marks()] == [1, 0]

    def test_a_long_history_is_read_in_parts(self) -> None:
        self.patch(handlers, "PAGE", 100)
        self.rule("play 500 matches of tictactoe")
        many = [match(f"n{n}", began=NOW + n) for n in range(450)]
        MatchTables(self.database).add_all(many)
        found = [self.ask() for _ in range(3)]
        assert [each["complete"] for each in found] == [False, False, True]
        assert found[-1]["pupils"][0]["marks"][0]["have"] == 450

    def test_a_rating(self) -> None:
        self.rule("rating 1500 in nim")
        self.database.execute(
            "INSERT INTO ratings VALUES ('nim', 'alice', 1520.6, 50, 0.06, 9, 1, '')"
        )
        assert self.marks() == [{"have": 1520, "passed": True}]

    def test_a_rule_without_a_source_is_refused(self) -> None:
        assert self.rule("rank 3 in term")["error"] == "bad-rule"
        assert self.rule("beat Pip of nim in 1 of 1")["error"] == "bad-rule"

    def test_a_rule_is_dropped(self) -> None:
        number = self.rule("play 1 match")["number"]
        assert "error" not in self.ask(act="drop", number=number)
        assert self.ask()["rules"] == []
        assert self.ask(act="drop", number=number)["error"] == "no-such-rule"

    def test_a_group_has_twenty_rules(self) -> None:
        for _ in range(20):
            self.rule("play 1 match")
        assert self.rule("play 1 match")["error"] == "too-many-rules"

    def test_the_table_as_csv(self) -> None:
        self.rule("play 2 matches", title="=1+1")
        self.play(1, ALICE, BOB)
        self.play(2, ALICE, BOB)
        answer = self.ask(act="export")
        [header, *rows] = csv.reader(io.StringIO(answer["csv"]))
        assert header == ["name", "group", "last_login", "matches", "'=1+1", "'=1+1: passed"]
        assert rows[0] == ["alice", "7b", "", "2", "2", "yes"]
        assert [row[0] for row in rows] == ["alice", "bob", "boss", "carol"]
        assert answer["next"] is None

    def test_further_parts_have_no_header(self) -> None:
        self.patch(handlers, "PAGE", 3)
        first = self.ask(act="export")
        second = self.ask(act="export", first=first["next"])
        assert first["next"] == 3 and second["csv"] == "carol,7b,,0\n"
