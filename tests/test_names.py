"""What names and passwords may look like."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.errors import BadPassword, BadUserName, visible
from tictac.names import (
    COMPUTER,
    ascii_form,
    caseless,
    check_new_name,
    check_password,
    check_user_name,
    folded,
    is_given,
    is_reserved,
    password_bytes,
)

printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=20)


@pytest.mark.parametrize("name", [
    "a", "alice", "two words", "!~;", "x" * 20, "0", "Computer", "Änne Müller", "李雷",
    "Ольга", "يوسف", "हिन्दी", "O’Neil", "Gal·la", "٣",
])  # fmt: skip
def test_names_that_are_allowed(name: str) -> None:
    assert check_user_name(name) == name


@pytest.mark.parametrize("name", [
    "Иван Петров-Водкин", "Мар’яна", "Дар\u02bcя", "Γιάννης", "Αθηνά Παππά", "Նարեկ Տեր-Պողոսյան",
    "Տեր\u058aՊողոսյան", "Դ\u055aԱրտանյան", "ნინო", "משה בן\u05beגוריון", "ז\u05f3אן",
    "רש\u05f4י", "علی\u200cرضا", "محمّد", "عبد الله", "ئازاده\u200c", "ܡܪܝܡ", "ߖߌߘߌߓߍ", "प्रिया", "शर्मा",
    "लक्ष्मण", "राज\u094d\u200dय", "র\u200d্যাফেল", "অনিন্দ্য", "ਗੁਰਪ੍ਰੀਤ", "પટેલ", "ଜଗନ୍ନାଥ", "தமிழ்ச்செல்வன்", "వెంకట",
    "ಲಕ್ಷ್ಮೀ", "രാജന\u0d4d\u200d", "ශ\u0dca\u200dරී", "สมชาย", "ສົມພອນ", "སྟོབས་རྒྱལ", "အောင်ဆန်း", "សុខ", "ኃይለ ሥላሴ",
    "ኃይለ፡ሥላሴ", "ᠪᠠᠲᠤ", "ᠪᠠᠲᠤ\u180e", "ᏣᎳᎩ", "ᐊᓗ", "ⵜⴰⵏⵉⵔⵜ", "王小明", "李〇", "葛\U000e0100城", "渡邉", "佐々木",
    "さくら", "マリア・テレサ", "ジャン゠ポール", "김민준", "남궁 민수", "ꦱꦸꦭꦶꦱ", "Kamāl O’Neil", "D'Angelo", "Keʻala",
    "Jean\u2010Luc", "Nguyễn Văn Ánh", "Zoë", "Łukasz", "Ñuñez", "Þór", "Gal·la", "Ḥəmid",
])  # fmt: skip
def test_names_as_their_owners_write_them(name: str) -> None:
    assert check_new_name(name) == name
    assert visible(name).isprintable() or visible(name) == name


@pytest.mark.parametrize(
    "name",
    ["a\u200cb", "\u200cعلی", "علی\u200c\u200cرضا", "a\u180b", "ᠪ\u180e\u180e", "a\U000e0100", "王\ufe0fa\ufe0f"],
)  # fmt: skip
def test_joiners_without_a_letter_to_change_are_refused(name: str) -> None:
    with pytest.raises(BadUserName):
        check_user_name(name)


@pytest.mark.parametrize("name", [".", "..", "." * 20, "···", "・", ". .", "་་"])
def test_a_new_name_is_not_made_of_dots_alone(name: str) -> None:
    with pytest.raises(BadUserName, match="more than dots"):
        check_new_name(name)
    check_new_name(f"a{name[1:]}")


@pytest.mark.parametrize(
    "name", ["p\u0430ypal", "Алекs", "νick", "Ivan Пеtров", "Ꭰnna", "Т0M", "Т\u0308M"]
)
def test_a_word_of_a_new_name_does_not_mix_scripts_that_look_alike(name: str) -> None:
    with pytest.raises(BadUserName, match="look alike"):
        check_new_name(name)


@pytest.mark.parametrize("name", ["Ivan Петров", "李雷 Li Lei", "Анна2", "X·Ольга"])
def test_words_of_a_new_name_can_be_of_several_scripts(name: str) -> None:
    assert check_new_name(name) == name


def test_a_name_is_composed_before_it_is_counted() -> None:
    assert check_user_name("A\u0308" * 20) == "\u00c4" * 20


@pytest.mark.parametrize(
    "name",
    ["", "x" * 21, " a", "a ", " ", "a:b", "a,b", "a\tb", "a\n", "\x7f", "\u3000", "\ud800",
     "\u0308a", "a\u202eb", "a\u200bb", "a\u200db", "\u3164", "a\ufe0f", "\ue000", "\u0378", "♞",
     "é:", "\U000e0101a", "½", "a\x85"],
)  # fmt: skip
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(BadUserName) as caught:
        check_user_name(name)
    assert str(caught.value).isprintable()


def test_a_refusal_shows_the_name_as_typed_if_that_can_be_printed() -> None:
    with pytest.raises(BadUserName, match=r"^'ä:b' isn't"):
        check_user_name("ä:b")
    with pytest.raises(BadUserName, match=r"^'a\\u202eb' isn't"):
        check_user_name("a\u202eb")


any_name = st.text(st.characters(categories=["L", "M", "Nd", "P"]), min_size=1, max_size=20)


@given(any_name)
def test_the_ascii_form_of_a_name_belongs_to_it_alone(name: str) -> None:
    try:
        name = check_user_name(name)
    except BadUserName:
        return
    shown = ascii_form(name)
    assert shown.isascii() and shown.isprintable() and not {":", ","} & set(shown)
    if name.isascii():
        assert shown == name
    else:
        assert shown.removeprefix("xn--").encode().decode("punycode") == name
        assert is_reserved(shown)


@given(any_name)
def test_a_folded_name_stays_as_it_is(name: str) -> None:
    assert folded(folded(name)) == folded(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("ÄNNE", "änne"), ("A\u0308nne", "änne"), ("ОЛЬГА", "ольга"), ("Strauß", "STRAUSS"),
     ("ａｎｎａ", "Anna"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ſam", "Sam")],
)  # fmt: skip
def test_spellings_of_one_name_in_any_case(one: str, other: str) -> None:
    assert caseless(one) == caseless(other) and folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("O'Neil", "O’Neil"), ("O'Neil", "O\u02bcNEIL"), ("O\u2018Neil", "o'neil"), ("Keʻala", "ke'ala"),
     ("Jean-Luc", "Jean\u2010Luc"), ("Jean\u2011Luc", "jean-luc"), ("בן\u05beגוריון", "בן-גוריון"),
     ("ז\u05f3אן", "ז'אן"), ("Տեր\u058aՊ", "Տեր-Պ"), ("マリア・テレサ", "マリア·テレサ"), ("علی\u200cرضا", "علیرضا"),
     ("محـمد", "محمد"), ("ශ\u0dca\u200dරී", "ශ\u0dcaරී"), ("葛\U000e0100城", "葛城"), ("сосо", "coco"), ("ТОМ", "TOM"), ("ΜΑΤΗ", "math"), ("\u0412\u0415\u041a\u0410", "beka"), ("Τέχνη", "τέχνη"),
     ("x y", "x  y"), ("Ольга  К", "ольга к")],
)  # fmt: skip
def test_names_that_look_alike(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@given(printable)
def test_printable_ascii_names_are_allowed_but_for_three_things(name: str) -> None:
    if set(name) & set(":,") or name != name.strip():
        with pytest.raises(BadUserName):
            check_user_name(name)
    else:
        check_user_name(name)


def test_a_huge_name_is_not_repeated_in_full() -> None:
    with pytest.raises(BadUserName) as caught:
        check_user_name("x" * 8000)
    assert len(str(caught.value)) < 200


def test_the_computers_name_is_reserved_in_any_spelling() -> None:
    check_user_name(COMPUTER)
    assert all(map(is_reserved, ("computer", "Computer", "COMPUTER")))
    assert not is_reserved("computer2")


def test_names_of_guests_are_reserved_in_any_spelling() -> None:
    assert all(map(is_reserved, ("guest-1", "Guest-1", "GUEST-x")))
    assert not is_reserved("guest")


def test_names_that_the_server_gives() -> None:
    assert all(map(is_given, ("computer", "guest-1", "guest-20")))
    assert not any(map(is_given, ("Computer", "Guest-1", "guest-", "guest-x", "alice")))


@pytest.mark.parametrize("password", [b"x", b" ", b"a b:c", b"x" * 72, "пароль 密码 🂡".encode()])
def test_passwords_that_are_allowed(password: bytes) -> None:
    check_password(password)


@pytest.mark.parametrize(
    "password", [b"", b"hunter2\n", b"hunter2\0", b"hunter2\x7f", b"hunter2" * 11, b"\xc3" * 73]
)
def test_passwords_that_are_refused(password: bytes) -> None:
    with pytest.raises(BadPassword) as caught:
        check_password(password)
    assert "hunter2" not in str(caught.value)


def test_a_password_may_need_more_characters() -> None:
    check_password("пароль78".encode(), 8)
    with pytest.raises(BadPassword, match="at least 8 characters"):
        check_password("пароль7".encode(), 8)


def test_a_password_is_the_same_from_every_keyboard() -> None:
    assert password_bytes("pa\u0308ss") == password_bytes("p\u00e4ss") == "p\u00e4ss".encode()
    assert password_bytes(b"\xff".decode("utf-8", "surrogateescape")) == b"\xff"


def test_a_text_that_can_be_no_password_is_not_composed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Composing marks takes the square of their number.
    sizes: list[int] = []
    compose = unicodedata.normalize

    def count(form: str, text: str) -> str:
        sizes.append(len(text))
        return compose(form, text)  # type: ignore[arg-type]

    monkeypatch.setattr("tictac.names.unicodedata.normalize", count)
    assert len(password_bytes("a" + "\u0316\u0301" * 2000)) > 72
    assert password_bytes("\u1f82" * 24) == password_bytes(compose("NFD", "\u1f82" * 24))
    assert max(sizes) <= 4 * 72
