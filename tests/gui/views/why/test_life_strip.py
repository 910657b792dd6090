"""The strip that shows a message's life."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.replay.frame import LifeSpan
from ravenglass.replay.vocabulary import Form, State
from ravenglass_gui.views.why.life_strip import LifeStrip, words


@pytest.mark.parametrize("form", list(Form))
def test_that_every_form_has_words_and_is_drawn(qtbot: QtBot, form: Form) -> None:
    span = LifeSpan(2, 5, State.ACTIVE, form)
    strip = LifeStrip()
    qtbot.addWidget(strip)
    strip.resize(200, 24)
    strip.show_life((span,), 9, 3)
    assert not strip.grab().isNull()
    assert words(span).startswith("calls 2 to 5 active, ")


def test_that_a_recorded_life_names_no_state_of_ours(qtbot: QtBot) -> None:
    strip = LifeStrip()
    qtbot.addWidget(strip)
    spans = (LifeSpan(1, 4, State.ACTIVE, Form.FULL), LifeSpan(5, 9, State.STANDBY, Form.OUT))
    strip.show_life(spans, 9, 5, recorded=True)
    assert strip.accessibleDescription() == "calls 1 to 4 in the window, in full; calls 5 to 9 not in the window"
    strip.show_life(spans, 9, 5)
    assert "standby" in strip.accessibleDescription()
