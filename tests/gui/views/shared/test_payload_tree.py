"""JSON values as a lazily built tree."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex
from PySide6.QtTest import QAbstractItemModelTester

from ravenglass_gui.views.shared.payload_tree import PayloadRole, PayloadTreeModel, full, short

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def made(value: object) -> PayloadTreeModel:
    model = PayloadTreeModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.show(value)
    return model


def opened(model: PayloadTreeModel, parent: QModelIndex) -> int:
    """How many nodes there are under an index."""
    indexes = [model.index(row, 0, parent) for row in range(model.rowCount(parent))]
    return len(indexes) + sum(opened(model, index) for index in indexes)


def nodes(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return len(inner) + sum(nodes(v) for v in inner)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_that_every_value_of_a_payload_is_in_the_tree(payload: dict[str, object]) -> None:
    assert opened(made(payload), QModelIndex()) == nodes(payload)


def test_that_children_are_made_only_when_they_are_asked_for() -> None:
    model = PayloadTreeModel()
    model.show({"ids": list(range(1_000_000))})
    ids = model.index(0, 0)
    assert model.rowCount(ids) == 1_000_000
    assert model.index(999_999, 1, ids).data() == "999999"
    assert len(ids.internalPointer().made) == 1


def test_that_a_long_string_is_cut_in_the_view_and_whole_in_the_detail() -> None:
    model = made({"text": "line\n" * 1_000})
    cell = model.index(0, 1)
    assert str(cell.data()).endswith("… (5,000 characters)")
    assert "\n" not in str(cell.data())
    assert cell.data(PayloadRole.FULL) == "line\n" * 1_000


def test_that_a_value_says_where_it_stands() -> None:
    model = made({"plan": {"include": [4, 8]}})
    include = model.index(0, 0, model.index(0, 0))
    assert model.index(1, 0, include).data(PayloadRole.PATH) == "plan.include[1]"


def test_that_numbers_are_shown_as_recorded_and_null_is_not_nothing() -> None:
    assert short(1732000000) == "1732000000"
    assert short(None) == "null"
    assert full({"a": "登"}) == '{\n  "a": "登"\n}'


def test_that_a_new_payload_replaces_the_tree() -> None:
    model = made({"a": {"b": 1}})
    assert model.rowCount(model.index(0, 0)) == 1
    model.show({"c": 2})
    assert model.index(0, 0).data() == "c"
    assert model.rowCount() == 1
