"""Why a panel has nothing to show: no session, one that is still replayed, one without a call, a trace log alone."""

from __future__ import annotations

from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.numbers import amount


def why_empty(state: DebuggerState, there: str, *, lacks: str = "") -> str:
    """A complete sentence. `there` says what would be shown, as the beginning of one: `The gauges appear here`;
    `lacks` what a trace log alone does not hold of it: `tokens by tier`."""
    if state.session is None:
        if state.log is not None and lacks:
            return f"This is a trace log by itself. It holds no {lacks}; open the session that it belongs to for that."
        return f"{there} once a session is open."
    if state.run is None:
        return f"{there} when the session is replayed."
    return no_call(state.session)


def no_call(session: Session) -> str:
    """Why a session has no call to look at."""
    if not session.messages:
        return "This session holds no message, so there is no call to look at."
    count = amount(len(session.messages), "message")
    return f"This session holds {count} but no model response, so there is no call to look at."
