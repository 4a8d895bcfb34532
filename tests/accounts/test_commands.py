"""`tictac users …`, from its arguments to what it prints."""

from __future__ import annotations

import argparse
import csv
import getpass
import io
import json
import re
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import bcrypt
import pytest

from tests.accounts.helpers import HASH, OTHER_HASH
from tests.archive.helpers import BEGAN, match
from tests.storage.postgres import Postgres
from tictac.accounts import commands
from tictac.accounts.passwords import cost_of
from tictac.accounts.roster import read_roster
from tictac.accounts.tables import Account, AccountTables, TokenTables
from tictac.accounts.transfer import UserFileError
from tictac.archive.match import Player
from tictac.archive.tables import MatchTables
from tictac.errors import SetupError
from tictac.storage.databases import opened
from tictac.storage.sqlite import SqliteDatabase

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, where the commands look for the file without `--database`."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    with closing(SqliteDatabase.open(folder / "users.db")) as opened:
        AccountTables(opened).add_many([BOB, ALICE])
        yield opened


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Make standard input a pipe with this in it."""

    def fill(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return fill


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make standard input a terminal where this is typed, unseen."""

    def type_(*answers: str) -> None:
        waiting = list(answers)

        def answer(prompt: str) -> str:
            if not waiting:
                raise EOFError
            return waiting.pop(0)

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr(getpass, "getpass", answer)

    return type_


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `tictac users …`: what it prints, when it is well; its error, when it isn't."""

    def run_(*arguments: str) -> str:
        parser = argparse.ArgumentParser()
        commands.add_parser(parser.add_subparsers())
        args = parser.parse_args(["users", *arguments])
        status = args.run(args)
        out, error = capsys.readouterr()
        if status == 0:
            assert re.fullmatch(r"(made a new database: .*\n)?", error)
            return out
        assert status == 1 and out == ""
        assert error.startswith("Error: ") and error.endswith("\n") and error.count("\n") == 1
        return error.strip()

    return run_


Run = Callable[..., str]

ELSEWHERE = "run this in the server's folder, or name the database by --database"
Pipe = Callable[[bytes], None]
Typed = Callable[..., None]


def test_add_from_a_pipe(run: Run, pipe: Pipe, database: SqliteDatabase) -> None:
    pipe(b"hunter2\nmore\n")
    assert run("add", "--bcrypt-rounds", "5", "carol") == "Added carol to users.db.\n"
    carol = AccountTables(database).get("carol")
    assert carol is not None
    assert cost_of(carol.password_hash) == 5
    assert bcrypt.checkpw(b"hunter2", carol.password_hash.encode())


@pytest.mark.parametrize("line", [b"p\xc3\xa4ss", b"p\xc3\xa4ss\r\n"])
def test_add_makes_the_database(run: Run, pipe: Pipe, line: bytes) -> None:
    pipe(line)
    added = run("add", "--database", "new.db", "--bcrypt-rounds", "4", "carol")
    assert added == "Added carol to new.db.\n"
    with closing(SqliteDatabase.open("new.db", create=False)) as database:
        (carol,) = AccountTables(database).all()
    assert bcrypt.checkpw("päss".encode(), carol.password_hash.encode())


def test_a_new_database_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("class.csv").write_text("name\nanna\n")
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    words = ["users", "add", "--from", "class.csv", "--to", "new.csv", "--bcrypt-rounds", "4"]
    assert parser.parse_args(words).run(parser.parse_args(words)) == 0
    assert capsys.readouterr().err == f"made a new database: {folder / 'users.db'}\n"


def test_add_takes_the_database_of_the_environment(
    run: Run, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICTAC_DATABASE", "server.db")
    pipe(b"hunter2\n")
    added = run("add", "--bcrypt-rounds", "4", "carol")
    assert added == "Added carol to server.db.\n"


def test_a_file_with_the_database_is_for_the_server_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TICTAC_DATABASE_FILE", "place")
    with pytest.raises(SystemExit):
        run("list")
    assert "only the server reads TICTAC_DATABASE_FILE: give a place" in capsys.readouterr().err


def test_add_from_a_terminal(run: Run, typed: Typed, database: SqliteDatabase) -> None:
    typed("päss", "päss")
    assert run("add", "--bcrypt-rounds", "4", "carol") == "Added carol to users.db.\n"
    carol = AccountTables(database).get("carol")
    assert carol is not None
    assert bcrypt.checkpw("päss".encode(), carol.password_hash.encode())


def test_add_with_two_different_passwords(run: Run, typed: Typed, database: SqliteDatabase) -> None:
    typed("hunter2", "hunter3")
    assert run("add", "carol") == "Error: the two passwords differ"
    assert AccountTables(database).get("carol") is None


def test_add_when_nothing_is_typed(run: Run, typed: Typed, database: SqliteDatabase) -> None:
    typed()
    assert run("add", "carol") == "Error: no password was given"
    assert AccountTables(database).get("carol") is None


@pytest.mark.parametrize("password", [b"", b"\n", b"hunter\t2\n", b"hunter2" * 11])
def test_add_a_password_that_is_not_allowed(
    run: Run, pipe: Pipe, database: SqliteDatabase, password: bytes
) -> None:
    pipe(password)
    error = run("add", "carol")
    assert error.startswith("Error: a password has ")
    assert "hunter" not in error
    assert AccountTables(database).get("carol") is None


def test_add_a_name_that_is_not_allowed(run: Run, folder: Path) -> None:
    assert run("add", "a:b").startswith("Error: 'a:b' isn't a user name")
    assert list(folder.iterdir()) == []


def test_add_a_name_that_is_taken_does_not_ask_for_a_password(
    run: Run, database: SqliteDatabase
) -> None:
    assert run("add", "alice") == "Error: there is a user alice already"
    why = "Error: there is a user alice already, which differs only in case"
    assert run("add", "ALICE") == why
    assert run("add", "Computer") == "Error: the name Computer is reserved"
    assert run("add", "computer") == "Error: the name computer is reserved"
    assert AccountTables(database).get("alice") == ALICE


@pytest.mark.parametrize("rounds", ["3", "17", "x", "-5", ""])
def test_rounds_have_their_range(run: Run, capsys: pytest.CaptureFixture[str], rounds: str) -> None:
    with pytest.raises(SystemExit):
        run("add", f"--bcrypt-rounds={rounds}", "carol")
    assert "from 4 to 16" in capsys.readouterr().err


def test_passwd(run: Run, pipe: Pipe, database: SqliteDatabase) -> None:
    pipe(b"hunter2\n")
    printed = run("passwd", "--bcrypt-rounds", "4", "alice")
    assert printed == "Changed the password of alice.\n"
    alice = AccountTables(database).get("alice")
    assert alice is not None
    assert bcrypt.checkpw(b"hunter2", alice.password_hash.encode())
    assert AccountTables(database).get("bob") == BOB


def test_passwd_of_nobody_does_not_ask(run: Run, database: SqliteDatabase) -> None:
    assert run("passwd", "carol") == "Error: there is no user 'carol'"


def test_passwd_that_is_not_allowed(run: Run, pipe: Pipe, database: SqliteDatabase) -> None:
    pipe(b"a\tb\n")
    assert run("passwd", "alice").startswith("Error: a password has ")
    assert AccountTables(database).get("alice") == ALICE


def test_remove_calls_the_player_deleted_in_their_matches(
    run: Run, database: SqliteDatabase
) -> None:
    MatchTables(database).add_all([match()])
    run("remove", "alice")
    found = MatchTables(database).get("m1")
    assert found is not None and [p.name for p in found.players] == ["deleted", "bob"]


def test_remove(run: Run, database: SqliteDatabase) -> None:
    assert run("remove", "alice") == "Removed alice.\n"
    assert AccountTables(database).all() == [BOB]
    assert run("remove", "alice") == "Error: there is no user 'alice'"


def test_logout(run: Run, database: SqliteDatabase) -> None:
    for token in ("1", "2"):
        TokenTables(database).add(ALICE, token, 100, 0, 0)
    assert run("logout", "alice") == "Ended 2 tokens of alice.\n"
    assert run("logout", "bob") == "Ended 0 tokens of bob.\n"
    assert run("logout", "carol") == "Error: there is no user 'carol'"


def test_list(run: Run, database: SqliteDatabase) -> None:
    assert run("list") == "alice\nbob\n"


@pytest.mark.parametrize(
    "command",
    [
        ["list"], ["export"], ["remove", "x"], ["logout", "x"], ["passwd", "x"],
    ],
)  # fmt: skip
def test_what_needs_a_database_does_not_make_one(
    run: Run, folder: Path, command: list[str]
) -> None:
    Path("class.csv").write_text("name\nanna\n")
    Path("users.json").write_text("[]")
    assert run(*command, "--database", "no.db") == f"Error: no.db doesn't exist: {ELSEWHERE}"
    assert sorted(folder.iterdir()) == [folder / "class.csv", folder / "users.json"]


@pytest.mark.parametrize("file", [[], ["-"]])
def test_export_to_standard_output(run: Run, database: SqliteDatabase, file: list[str]) -> None:
    assert json.loads(run("export", *file)) == [
        {"username": "alice", "password": HASH},
        {"username": "bob", "password": OTHER_HASH},
    ]


def test_export_and_import_again(run: Run, database: SqliteDatabase, folder: Path) -> None:
    assert run("export", "users.json") == "Exported 2 users to users.json.\n"
    assert stat.S_IMODE((folder / "users.json").stat().st_mode) == 0o600
    assert run("import", "--database", "new.db", "users.json") == "Imported 2 users.\n"
    with closing(SqliteDatabase.open("new.db", create=False)) as new:
        assert AccountTables(new).all() == AccountTables(database).all()


def test_export_replaces_a_file_and_leaves_no_other(
    run: Run, database: SqliteDatabase, folder: Path
) -> None:
    Path("users.json").write_text("old")
    before = sorted(folder.iterdir())
    run("export", "users.json")
    assert len(json.loads(Path("users.json").read_bytes())) == 2
    assert sorted(folder.iterdir()) == before


def test_export_does_not_replace_the_database(run: Run, database: SqliteDatabase) -> None:
    assert run("export", "users.db") == "Error: users.db is the database itself"
    assert run("list") == "alice\nbob\n"


@pytest.mark.parametrize(
    ("target", "why"),
    [("no/users.json", "No such file or directory"), ("folder", "Is a directory")],
)
def test_export_to_where_it_cannot_be(
    run: Run, database: SqliteDatabase, target: str, why: str
) -> None:
    Path("folder").mkdir()
    assert run("export", target) == f"Error: {target} can't be written: {why}"


def test_list_marks_names_that_differ_only_in_case(run: Run, folder: Path) -> None:
    with closing(SqliteDatabase.open(folder / "users.db")) as database:
        AccountTables(database).add_many([BOB, ALICE, Account("Alice", HASH)])
    mark = "  (differs from another only in case)"
    assert run("list") == f"Alice{mark}\nalice{mark}\nbob\n"


def write(*records: object) -> None:
    Path("new.json").write_text(json.dumps(records))


def record(name: str, password: str = HASH) -> dict[str, str]:
    return {"username": name, "password": password}


def test_import_adds(run: Run, database: SqliteDatabase) -> None:
    write(record("carol"))
    assert run("import", "new.json") == "Imported 1 user.\n"
    assert AccountTables(database).all() == [ALICE, BOB, Account("carol", HASH)]


def test_import_says_which_record_is_wrong_and_changes_nothing(
    run: Run, database: SqliteDatabase
) -> None:
    where = "Error: new.json contains invalid user record formats: record 2"
    write(record("carol"), record("dave", "secret"))
    assert run("import", "new.json") == f"{where} (dave): the password isn't a bcrypt hash"
    write(record("carol"), record("alice"))
    why = "can't be imported: record 2 (alice): the database has a user of that name"
    assert run("import", "new.json") == f"Error: new.json {why}"
    assert AccountTables(database).all() == [ALICE, BOB]


def test_import_of_what_cannot_be_imported_makes_no_database(run: Run, folder: Path) -> None:
    assert run("import", "new.json") == "Error: new.json doesn't exist."
    assert list(folder.iterdir()) == []


def test_the_database_may_stand_before_the_command(run: Run, folder: Path) -> None:
    with closing(SqliteDatabase.open("other.db")) as other:
        AccountTables(other).add(ALICE)
    assert run("-d", "other.db", "list") == run("list", "-d", "other.db") == "alice\n"


# Groups, and a class


CLASS = "Name;Group\r\nanna;7b\r\n\r\nBen;\r\n"


def test_a_class_is_added_with_passwords_that_are_good(run: Run, folder: Path) -> None:
    Path("class.csv").write_text(CLASS, "utf-8-sig")
    printed = run(
        "add", "--from", "class.csv", "--to", "new.csv", "--group", "8a", "--bcrypt-rounds", "4"
    )
    assert printed == "Added 2 users to users.db; their passwords are in new.csv.\n"
    assert stat.S_IMODE(Path("new.csv").stat().st_mode) == 0o600
    with Path("new.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert [(row["name"], row["group"]) for row in rows] == [("anna", "7b"), ("Ben", "8a")]
    with closing(SqliteDatabase.open("users.db", create=False)) as database:
        for row in rows:
            account = AccountTables(database).get(row["name"])
            assert account is not None and account.group == row["group"]
            assert bcrypt.checkpw(row["password"].encode(), account.password_hash.encode())


def test_of_a_class_in_a_code_page_the_teacher_is_warned(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("class.csv").write_bytes("name;email\nÄnne;a@b\n".encode("cp1252"))
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    words = ["--from", "class.csv", "--to", "new.csv", "--bcrypt-rounds", "4"]
    args = parser.parse_args(["users", "add", *words])
    assert args.run(args) == 0
    error = capsys.readouterr().err
    assert error.startswith("class.csv: ignored columns: email\n")
    assert "class.csv isn't UTF-8, and was read as Windows-1252" in error
    assert Path("new.csv").read_bytes().startswith("\ufeffname;password;group\nÄnne;".encode())


@pytest.mark.parametrize(
    "line, encoding", [("name\nanna\nŁukasz\n", "cp1250"), ("name\nanna\n田中\n", "shift-jis")]
)
def test_an_error_may_come_from_a_guessed_encoding(folder: Path, line: str, encoding: str) -> None:
    Path("class.csv").write_bytes(line.encode(encoding))
    with pytest.raises(SetupError) as caught:
        read_roster("class.csv", "")
    assert str(caught.value).startswith("class.csv: row 2 below the first: ")
    assert str(caught.value).endswith(
        "; the file isn't UTF-8, and was read as Windows-1252: if a name is wrong, "
        "save it as CSV UTF-8"
    )


def test_an_error_in_utf_8_names_no_encoding(folder: Path) -> None:
    Path("class.csv").write_text("name\na b:c\n")
    with pytest.raises(SetupError) as caught:
        read_roster("class.csv", "")
    assert "Windows" not in str(caught.value)


def test_passwords_are_written_in_the_form_of_the_list(run: Run, folder: Path) -> None:
    Path("class.csv").write_text("name;group\nanna;7b\n")
    run("add", "--from", "class.csv", "--to", "new.csv", "--bcrypt-rounds", "4")
    assert Path("new.csv").read_text().startswith("name;password;group\nanna;")


def test_further_columns_of_users_do_not_matter(run: Run, folder: Path) -> None:
    Path("new.csv").write_text(f"username,email,password,\nanna,a@b,{HASH},\n")
    assert run("import", "new.csv") == "Imported 1 user.\n"


def test_a_class_list_is_no_list_of_users(run: Run, folder: Path) -> None:
    Path("new.csv").write_text("name,group\nanna,7b\n")
    why = 'it has no column "username": its first line names name, group'
    assert run("import", "new.csv") == f"Error: new.csv can't be used: {why}"


def test_without_a_file_the_passwords_are_printed(
    run: Run, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("class.csv").write_text("username\nanna\n")
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    args = parser.parse_args(["users", "add", "--from", "class.csv", "--bcrypt-rounds", "4"])
    assert args.run(args) == 0
    out, error = capsys.readouterr()
    assert re.fullmatch(r"name,password,group\nanna,\w{10},\n", out)
    assert error == f"made a new database: {folder / 'users.db'}\nAdded 1 user to users.db.\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("name\nanna\nalice\n", "there is a user alice already"),
        ("name\nanna\nANNA\n", "row 2 below the first: ANNA is there already, as anna"),
        ("name\nanna\na:b\n", "row 2 below the first: 'a:b' isn't a user name"),
        ("name\nComputer\n", "the name Computer is reserved"),
        ("name,group\nanna," + "7" * 41 + "\n", "isn't a group"),
        (
            "anna\nben\n",
            'class.csv can\'t be used: it has no column "name": its first line names anna',
        ),
        (
            "name\nanna,7b\n",
            "row 1 below the first has '7b' in column 2, which the first line doesn't",
        ),
        ("Vorname;Nachname;Klasse\nA;B;7\n", "its first line names vorname, nachname, klasse"),
        ("name\n", "class.csv lists no accounts"),
        ("name,Name\nanna,ben\n", "it has more than one column 'name'"),
        ('name\n"anna\n', "it isn't CSV: line 2"),
    ],
)
def test_of_a_class_with_a_wrong_line_nobody_is_added(
    run: Run, database: SqliteDatabase, folder: Path, content: str, why: str
) -> None:
    Path("class.csv").write_text(content)
    before = sorted(folder.iterdir())
    assert why in run("add", "--from", "class.csv", "--to", "new.csv", "--bcrypt-rounds", "4")
    assert AccountTables(database).all() == [ALICE, BOB]
    assert sorted(folder.iterdir()) == before


def test_all_wrong_lines_of_a_class_are_named(folder: Path) -> None:
    Path("class.csv").write_text("name,group\na:b,\nanna,7b\nComputer,\nANNA,\nben,7b\nx,\nX,\n")
    with pytest.raises(UserFileError) as caught:
        read_roster("class.csv", "")
    first, *lines = caught.value.detail.splitlines()
    assert first == "class.csv: 4 rows are wrong"
    assert [line.partition(":")[0] for line in lines] == [
        f"  row {number} below the first" for number in (1, 3, 4, 7)
    ]
    assert lines[2].endswith("ANNA is there already, as anna")


def test_of_very_many_wrong_lines_some_are_named(folder: Path) -> None:
    Path("class.csv").write_text("name\n" + "a:b\n" * 23)
    with pytest.raises(UserFileError) as caught:
        read_roster("class.csv", "")
    first, *lines, last = caught.value.detail.splitlines()
    assert (first, len(lines), last) == ("class.csv: 23 rows are wrong", 20, "  and 3 more")


def test_all_taken_names_of_a_class_are_named(
    database: SqliteDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("class.csv").write_text("name\nanna\nBob\nalice\n")
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    args = parser.parse_args(["users", "add", "--from", "class.csv"])
    assert args.run(args) == 1
    assert capsys.readouterr().err == (
        "Error: class.csv: 2 rows are wrong\n"
        "  there is a user Bob already, perhaps in another spelling\n"
        "  there is a user alice already, perhaps in another spelling\n"
    )


def test_a_class_that_cannot_be_kept_leaves_no_passwords(
    run: Run, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: AccountTables, accounts: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(AccountTables, "add_many", fail)
    Path("class.csv").write_text("name\nanna\n")
    added = run("add", "--from", "class.csv", "--to", "new.csv", "--bcrypt-rounds", "4")
    assert added == "Error: users.db can't be used: disk I/O error"
    assert not Path("new.csv").exists()


def test_passwords_replace_no_file(run: Run, database: SqliteDatabase) -> None:
    Path("class.csv").write_text("name\nanna\n")
    Path("new.csv").write_text("mine")
    added = run("add", "--from", "class.csv", "--to", "new.csv")
    assert added == "Error: new.csv is there already"
    assert AccountTables(database).get("anna") is None


def test_groups_choose_whom_is_listed_and_exported(run: Run, database: SqliteDatabase) -> None:
    assert run("group", "alice", "7b") == "alice is in the group 7b.\n"
    assert run("list", "--group", "7b") == "alice\n"
    assert json.loads(run("export", "--group", "7b")) == [{**record("alice"), "group": "7b"}]
    assert run("group", "alice", "") == "alice is in no group.\n"
    assert run("list", "--group", "7b") == ""
    assert run("group", "carol", "7b") == "Error: there is no user 'carol'"
    assert run("group", "alice", "7,b").startswith("Error: '7,b' isn't a group")


@pytest.mark.parametrize("file", ["users.csv", "users.json"])
def test_groups_go_with_their_accounts(run: Run, database: SqliteDatabase, file: str) -> None:
    AccountTables(database).set_group("alice", "7 b\u00e9")
    run("export", file)
    run("import", "--database", "new.db", file)
    with closing(SqliteDatabase.open("new.db", create=False)) as new:
        assert AccountTables(new).all() == AccountTables(database).all()


def test_an_admin_is_made_and_unmade(run: Run, database: SqliteDatabase) -> None:
    assert run("admin", "alice") == "alice is an admin.\n"
    assert run("list") == "alice  (an admin)\nbob\n"
    assert run("admin", "--off", "alice") == "alice is no longer an admin.\n"
    assert run("list") == "alice\nbob\n"
    assert run("admin", "carol") == "Error: there is no user 'carol'"


def test_export_as_csv(run: Run, database: SqliteDatabase) -> None:
    exported = f"username,password,group\nalice,{HASH},\nbob,{OTHER_HASH},\n"
    assert run("export", "--csv") == exported


def test_a_database_that_cannot_be_used(run: Run, folder: Path) -> None:
    Path("users.db").write_text("hello")
    assert run("list") == "Error: users.db isn't an SQLite database"


def test_a_database_that_fails_on_the_way(
    run: Run, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(self: AccountTables, name: str) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(AccountTables, "remove", remove)
    assert run("remove", "alice") == "Error: users.db can't be used: disk I/O error"


def test_export_of_grades(run: Run, database: SqliteDatabase) -> None:
    AccountTables(database).add(Account("carol", HASH, "7b"))
    carol, alice = Player("carol", "account"), Player("alice", "account")
    MatchTables(database).add_all([
        match("m1", alice, carol),
        match("m2", carol, alice, began=BEGAN + 60),
        match("m3", carol, Player("guest-1", "guest"), ending="drawn", winner=None),
        match("m4", Player("carol", "guest"), alice),
    ])  # fmt: skip
    header = "\ufeffname,group,game,played,won,drawn,lost,rating,last_match\n"
    row = "carol,7b,tictactoe,3,1,1,1,,2023-11-14T22:14:22.625Z\n"
    assert run("export", "--grades", "--group", "7b") == header + row
    everybody = run("export", "--grades")
    assert everybody.startswith(f"{header}alice,,tictactoe,3,")
    assert "\nbob,,,0,0,0,0,,\n" in everybody
    assert run("export", "--grades", "grades.csv") == "Exported 3 users to grades.csv.\n"
    assert Path("grades.csv").read_text() == everybody


# Another place


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.new_place()


def test_every_command_works_in_postgresql(run: Run, pipe: Pipe, url: str) -> None:
    pipe(b"hunter2\n")
    added = run("add", "--bcrypt-rounds", "4", "--database", url, "carol")
    assert added.startswith("Added carol to postgresql://postgres@") and "sesame" not in added
    assert run("add", "--database", url, "carol") == "Error: there is a user carol already"
    pipe(b"hunter3\n")
    changed = run("passwd", "--bcrypt-rounds", "4", "--database", url, "carol")
    assert changed == "Changed the password of carol.\n"
    write(record("alice"))
    assert run("import", "--database", url, "new.json") == "Imported 1 user.\n"
    assert run("list", "--database", url) == "alice\ncarol\n"
    assert run("export", "--database", url, "out.json") == "Exported 2 users to out.json.\n"
    alice, carol = json.loads(Path("out.json").read_bytes())
    assert alice == record("alice")
    assert bcrypt.checkpw(b"hunter3", carol["password"].encode())
    with opened(url) as database:
        MatchTables(database).add_all([match()])
    grades = run("export", "--grades", "--database", url).splitlines()
    assert grades[1:] == ["alice,,tictactoe,1,1,0,0,,2023-11-14T22:13:22.625Z", "carol,,,0,0,0,0,,"]
    assert run("remove", "--database", url, "carol") == "Removed carol.\n"
    assert run("remove", "--database", url, "carol") == "Error: there is no user 'carol'"


@pytest.mark.parametrize(
    "command", [["list"], ["export"], ["remove", "x"], ["logout", "x"], ["passwd", "x"]]
)
def test_what_needs_accounts_makes_no_tables(run: Run, url: str, command: list[str]) -> None:
    assert run(*command, "--database", url).endswith(" holds no accounts: there are no tables yet")


def test_the_password_of_a_database_is_not_shown(run: Run, url: str) -> None:
    wrong = url.replace("sesame", "mesame")
    line = run("list", "--database", wrong)
    assert line.startswith("Error: postgresql://postgres@127.0.0.1:")
    assert "mesame" not in line


def test_copy_there_and_back(run: Run, database: SqliteDatabase, url: str) -> None:
    assert run("copy", "users.db", url) == "Copied 2 users.\n"
    assert run("copy", url, "back.db") == "Copied 2 users.\n"
    with opened("back.db", create=False) as back:
        assert AccountTables(back).all() == [ALICE, BOB]


def test_copy_between_files(run: Run, database: SqliteDatabase) -> None:
    assert run("copy", "users.db", "new.db") == "Copied 2 users.\n"
    assert run("list", "--database", "new.db") == "alice\nbob\n"


def test_copy_all_or_none(run: Run, database: SqliteDatabase, url: str) -> None:
    with opened(url) as target:
        AccountTables(target).add(Account("bob", HASH))
    assert run("copy", "users.db", url) == "Error: there is a user bob already"
    assert run("list", "--database", url) == "bob\n"
    assert run("copy", "users.db", "users.db") == "Error: there is a user alice already"


def test_copy_from_nowhere_makes_nothing(run: Run, folder: Path) -> None:
    assert run("copy", "no.db", "new.db") == f"Error: no.db doesn't exist: {ELSEWHERE}"
    assert list(folder.iterdir()) == []


def test_without_psycopg_there_is_no_postgresql(
    run: Run, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    line = (
        "Error: accounts in PostgreSQL need a package that isn't installed:"
        " pip install '.[postgres]'"
    )
    assert run("list", "--database", "postgresql://h/games") == line
    assert run("copy", "users.db", "postgresql://h/games") == line
    assert run("list") == "alice\nbob\n"


def test_a_command_is_needed(run: Run) -> None:
    with pytest.raises(SystemExit):
        run()
