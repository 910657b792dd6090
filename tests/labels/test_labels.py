"""What `make labels` has to reach, on the half that nobody looked at as well."""

from __future__ import annotations

import pytest

from tests.labels.pairs import SAMPLES, pairs
from tests.labels.score import judged, score

pytestmark = [
    pytest.mark.samples,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded sessions are not beside the checkout"),
]


@pytest.mark.proof
def test_that_what_is_told_is_what_the_judge_says() -> None:
    found = [one for one in judged(pairs()) if not one.pair.repeated]
    for half in ("development", "held out"):
        for kind in ("name", "fetch"):
            made = score(one for one in found if (one.pair.half, one.pair.kind) == (half, kind))
            assert made.precision is not None
            assert made.precision >= 0.9, (half, kind, made)
    lost = score(one for one in found if one.pair.after_loss)
    assert lost.recall is not None
    assert lost.recall >= 0.95
