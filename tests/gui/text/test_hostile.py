"""What is shown in rows, titles and tooltips hides nothing and turns no order."""

from __future__ import annotations

from ravenglass_gui.text.display_text import display_text
from ravenglass_gui.text.plain import one_line, plain_tip

HOSTILE = "a\u202eb\x1b[31m\u200b<b>"


def test_that_a_tooltip_and_a_line_show_marks() -> None:
    assert "a&lt;U+202E&gt;b␛[31m" in plain_tip(HOSTILE)
    assert one_line(f"{HOSTILE}\n x") == "a<U+202E>b␛[31m<U+200B><b> x"


def test_that_a_long_text_shows_marks_and_gives_back_what_was_recorded() -> None:
    text = "a\u202eb\u061cc\u200bd\u2066e"
    shown = display_text(text)
    assert shown.shown == "a◊b◊c◊d◊e"
    assert shown.verbatim(0, len(shown.shown)) == text
