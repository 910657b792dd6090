from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.scheduler.holdings import Holdings

NAMES = st.sampled_from(("auth.py", "login", "登录", "cart", "KeyError", "quota"))
GROUPS = st.lists(st.frozensets(NAMES), min_size=1, max_size=12)
WEIGHTS = st.dictionaries(NAMES | st.just("nobody holds it"), st.integers(0, 1 << 40))


def _naive(groups: list[frozenset[str]], weights: dict[str, int], chosen: list[int]) -> list[int]:
    return [sum(weights.get(name, 0) for name in groups[g]) for g in chosen]


@given(GROUPS, WEIGHTS, st.data())
def test_that_a_group_weighs_what_it_holds_whichever_are_weighed_with_it(
    groups: list[frozenset[str]], weights: dict[str, int], data: st.DataObject
) -> None:
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(groups))))))
    holdings = Holdings(groups)
    for asked in (chosen, list(range(len(groups)))):
        found = holdings.weigh(np.array(asked, dtype=np.int64), weights).tolist()
        assert found == _naive(groups, weights, asked)


@given(GROUPS, GROUPS, WEIGHTS, st.data())
def test_that_holdings_of_a_grown_session_are_those_that_would_be_made(
    before: list[frozenset[str]], after: list[frozenset[str]], weights: dict[str, int], data: st.DataObject
) -> None:
    same = data.draw(st.integers(0, len(before)))
    groups = before[:same] + after
    grown = Holdings(groups, Holdings(before), same)
    every = list(range(len(groups)))
    assert grown.weigh(np.array(every), weights).tolist() == _naive(groups, weights, every)


def test_that_threads_weigh_without_hindering_each_other() -> None:
    groups = [frozenset({f"name{g}", f"name{g + 1}", "all"}) for g in range(300)]
    holdings, every = Holdings(groups), np.arange(300)

    def weighed(number: int) -> bool:
        weights = {f"name{number}": 7, "all": number}
        return bool(holdings.weigh(every, weights).tolist() == _naive(groups, weights, list(range(300))))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(weighed, range(200)))
