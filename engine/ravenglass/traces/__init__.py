"""Trace logs on disk: reading, writing, stepping through what a curator decided. `open_trace` is the way in."""

from ravenglass.traces.answers import LoggedAnswer, LoggedCall, answers
from ravenglass.traces.faults import Fault, faults
from ravenglass.traces.messages import LoggedMessage, LoggedMessages
from ravenglass.traces.model import TraceCall, TraceLog, TraceRecord, TraceTurn
from ravenglass.traces.reader import is_trace_log, open_trace
from ravenglass.traces.stepping import LogState, TraceReplay
from ravenglass.traces.summary import CallSummary, summarise
from ravenglass.traces.thresholds import PathCheck, path_under
from ravenglass.traces.told import told
from ravenglass.traces.writer import append_log, log_path, write_log, write_turn

__all__ = [
    "CallSummary",
    "Fault",
    "LogState",
    "LoggedAnswer",
    "LoggedCall",
    "LoggedMessage",
    "LoggedMessages",
    "PathCheck",
    "TraceCall",
    "TraceLog",
    "TraceRecord",
    "TraceReplay",
    "TraceTurn",
    "answers",
    "append_log",
    "faults",
    "is_trace_log",
    "log_path",
    "open_trace",
    "path_under",
    "summarise",
    "told",
    "write_log",
    "write_turn",
]
