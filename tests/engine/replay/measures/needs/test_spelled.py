"""Names in other spellings, and dotted names that the session, or only a library, gives its meaning."""

from __future__ import annotations

import pytest

from ravenglass.replay.measures.needs.session import needs_of
from ravenglass.replay.measures.needs.spelled import fold, spellings
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, call, result, session, user


def _named(built: Session, response: int) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    return {need.what: (need.sources, need.mentions) for need in needs_of(built).of(response) if need.kind == "name"}


def test_that_a_path_is_also_held_by_its_file_and_an_id_by_its_hash() -> None:
    assert spellings("packages/tui/src/ledger_view.ts") == ("src/ledger_view.ts", "ledger_view.ts")
    assert spellings("store.writeLedger") == ("writeLedger",)
    assert spellings("2026-01-21-34157bc5") == ("34157bc5",)
    assert spellings("src/README.md") == ()


def test_that_the_member_of_a_library_is_no_need() -> None:
    built = session(
        user("fix it"), assistant("", call("Bash", command="cat a.go")), result("obj := repo.CommitObject(hash)"),
        assistant("I call repo.CommitObject again."),
    )  # fmt: skip
    assert "repo.CommitObject" not in _named(built, 3)


def test_that_a_member_which_the_session_defines_is_needed() -> None:
    built = session(
        user("fix it"), assistant("", call("Bash", command="cat a.go")), result("func (s *Store) WriteLedger() {"),
        assistant("", call("Bash", command="cat b.go")), result("store.WriteLedger()"),
        assistant("I call store.WriteLedger here."),
    )  # fmt: skip
    assert "store.WriteLedger" in _named(built, 5)


def test_that_what_is_put_together_of_the_prompt_is_coined() -> None:
    built = session(
        user("look at src/ledger/book.py"), assistant("", call("Bash", command="grep x")), result("import ledger.book"),
        assistant("So ledger.book imports itself."),
    )  # fmt: skip
    assert "ledger.book" not in _named(built, 3)


def test_that_another_spelling_of_a_path_is_a_mention() -> None:
    built = session(
        user("go on"), assistant("", call("Bash", command="ls")), result("packages/tui/ledger_view.ts"),
        assistant("", call("Bash", command="grep x")), result("../tui/ledger_view.ts: x"),
        assistant("I change packages/tui/ledger_view.ts."),
    )  # fmt: skip
    assert _named(built, 5)["packages/tui/ledger_view.ts"] == ((2,), (4,))


def test_that_a_name_folds_alike_in_all_conventions_and_a_file_like_its_module() -> None:
    assert fold("ledger_row_id") == fold("LedgerRowId") == fold("ledgerRowId") == fold("ledger-row-id")
    assert fold("shop/prices.py") == fold("shop.prices") != fold("shop/price.py")
    assert fold("https://shop.example/prices") == fold("82b4027a") == fold("a_b") == ""


@pytest.mark.parametrize(
    ("needed", "held"), [("ledger_row_id", "LedgerRowId"), ("shop/ledger_rows.py", "shop.ledger_rows")]
)
def test_that_a_message_that_spells_it_in_another_convention_is_a_mention(needed: str, held: str) -> None:
    built = session(
        user("go"),
        assistant("", call("Bash", command="make it")),
        result(f"{needed} = 3"),
        assistant(f"so {held} it is"),
        user("on"),
        assistant(f"set {needed}"),
    )
    assert _named(built, 5) == {needed: ((2,), (3,))}
