from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ravenglass.curator.working_state.state import (
    EMPTY,
    StateLine,
    Versions,
    WorkingState,
    extract,
    state_at,
)
from ravenglass.sessions.model.session import Kind, Message, Part, Session, Span, ToolCall
from ravenglass.sessions.model.structure import analyse

SAMPLES = Path(__file__).parents[5] / "shared" / "samples"


@dataclass(frozen=True)
class Limits:
    max_goals: int = 8
    max_open_threads: int = 12
    max_decisions: int = 20
    max_line_chars: int = 400


LIMITS = Limits()


class NoSource:
    def read(self, span: Span) -> bytes:
        raise AssertionError(f"{span} was read; the working state needs no source")


class Script:
    """Builds a session message by message; every tool call is answered at once."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def prompt(self, text: str, kind: Kind = "prompt") -> Script:
        return self._add(Message(len(self.messages), "user", (Part("text", text),), kind=kind))

    def says(self, text: str) -> Script:
        return self._add(Message(len(self.messages), "assistant", (Part("text", text),)))

    def calls(self, name: str, arguments: object, result: str = "ok", *, error: bool = False) -> Script:
        number = len(self.messages)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call = ToolCall(f"call_{number}", name, text)
        self._add(Message(number, "assistant", (), tool_calls=(call,)))
        return self._add(
            Message(
                number + 1,
                "tool",
                (Part("text", result),),
                tool_call_id=call.id,
                tool_name=name,
                is_error=error,
            )
        )

    def todos(self, **statuses: str) -> Script:
        items = [{"content": name.replace("_", " "), "status": status} for name, status in statuses.items()]
        return self.calls("TodoWrite", {"todos": items})

    def versions(self, limits: Limits = LIMITS) -> Versions:
        messages = tuple(self.messages)
        session = Session("s", "test", Path("s.jsonl"), messages, analyse(messages), NoSource())
        return extract(session, limits)

    def end(self, limits: Limits = LIMITS) -> WorkingState:
        """The state that a call after the last message would see."""
        self.says("Done.")
        return state_at(self.versions(limits), len(self.messages))

    def _add(self, message: Message) -> Script:
        self.messages.append(message)
        return self


def texts(lines: tuple[StateLine, ...]) -> list[str]:
    return [line.text for line in lines]


def test_that_a_prompt_is_a_goal_from_the_call_after_it() -> None:
    script = Script().prompt("Fix the login").says("Looking.").prompt("Add a cache").says("Done.")
    versions = script.versions()
    assert [(call, texts(state.goals)) for call, state in versions] == [
        (1, ["Fix the login"]),
        (2, ["Fix the login", "Add a cache"]),
    ]
    assert versions[1][1].goals[1] == StateLine("Add a cache", source=2, call=2, turn=1)


def test_that_only_changes_make_versions_and_what_no_call_sees_makes_none() -> None:
    script = Script().says("Hello.").prompt("Fix the login").says("A.").says("B.").says("C.").prompt("Unseen")
    assert [call for call, _ in script.versions()] == [2]
    assert state_at(script.versions(), 1) == EMPTY
    assert texts(state_at(script.versions(), 4).goals) == ["Fix the login"]


def test_that_what_no_person_typed_is_no_goal() -> None:
    script = Script().prompt("/clear", "command").prompt("Caveat", "meta").prompt("Summary", "summary")
    assert script.end() == EMPTY


def test_that_the_newest_goals_are_kept_and_a_repeated_one_is_new_again() -> None:
    script = Script()
    for number in range(9):
        script.prompt(f"Do step number {number}")
    script.prompt("Do step number 3")
    assert texts(script.end().goals) == [f"Do step number {number}" for number in (1, 2, 4, 5, 6, 7, 8, 3)]


def test_that_a_todo_list_gives_the_open_threads_and_replaces_the_earlier_one() -> None:
    script = Script().prompt("Fix the login").todos(read="completed", patch="pending", test="in_progress")
    assert texts(script.end().open_threads) == ["test", "patch"]
    script.todos(patch="completed", test="completed", ship="pending")
    assert texts(script.end().open_threads) == ["ship"]


def test_that_an_unchanged_item_keeps_the_message_it_came_from() -> None:
    script = Script().todos(read="in_progress", patch="pending").todos(read="completed", patch="in_progress")
    assert script.end().open_threads == (StateLine("patch", source=1, call=2, turn=0),)


def test_that_a_goal_leaves_when_its_todo_list_is_done() -> None:
    script = Script().prompt("Fix the login").todos(patch="pending").prompt("And say why")
    assert texts(script.end().goals) == ["Fix the login", "And say why"]
    script.todos(patch="completed")
    assert script.end() == replace(EMPTY, goals=script.end().goals)
    assert texts(script.end().goals) == ["And say why"]


def test_that_a_goal_leaves_when_a_newer_request_gets_a_list_of_its_own() -> None:
    script = Script().prompt("Fix the login").todos(patch="pending").prompt("Add a cache").todos(cache="pending")
    assert texts(script.end().goals) == ["Add a cache"]
    assert texts(script.end().open_threads) == ["cache"]


def test_that_a_list_that_goes_on_keeps_the_older_goal() -> None:
    script = Script().prompt("Fix the login").todos(patch="pending").prompt("Add a cache")
    script.todos(patch="pending", cache="pending")
    assert texts(script.end().goals) == ["Fix the login", "Add a cache"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_plan", {"plan": [{"step": "patch", "status": "in_progress"}]}),
        ("todowrite", {"todos": [{"content": "patch", "status": "pending", "id": "1", "priority": "high"}]}),
        ("write_todos", {"todos": [{"description": "patch", "status": "pending"}]}),
        ("TodoWrite", {"todos": '[{"content": "patch", "status": "pending"}]'}),
        ("TodoWrite", {"todos": ["patch", "", None, 7, {"status": "pending"}]}),
        ("TaskCreate", {"subject": "patch", "description": "the login"}),
    ],
)
def test_that_the_lists_of_other_agents_are_read_too(name: str, arguments: object) -> None:
    assert texts(Script().calls(name, arguments).end().open_threads) == ["patch"]


def test_that_tasks_are_updated_by_the_number_that_the_result_gave_them() -> None:
    script = Script().prompt("Fix the login")
    script.calls("TaskCreate", {"subject": "read"}, "Task #7 created successfully: read")
    script.calls("TaskCreate", {"subject": "patch"}, "Task #9 created successfully: patch")
    script.calls("TaskUpdate", {"taskId": "9", "status": "in_progress"})
    assert texts(script.end().open_threads) == ["patch", "read"]
    script.calls("TaskUpdate", {"taskId": 7, "status": "completed"})
    script.calls("TaskUpdate", {"taskId": "#9", "subject": "patch it well"})
    assert texts(script.end().open_threads) == ["patch it well"]
    script.calls("TaskUpdate", {"taskId": "404", "status": "completed"})
    script.calls("TaskUpdate", {"taskId": "9", "status": "deleted"})
    assert script.end() == EMPTY


def test_that_at_most_as_many_open_threads_as_allowed_are_kept_and_those_in_progress_stay() -> None:
    script = Script().todos(**{f"item_{n}": "pending" for n in range(14)}, current="in_progress")
    threads = texts(script.end().open_threads)
    assert len(threads) == LIMITS.max_open_threads
    assert threads[:2] == ["current", "item 0"]


def test_that_a_failed_or_unanswered_call_changes_nothing() -> None:
    script = Script().calls("TodoWrite", {"todos": ["patch"]}, "denied", error=True)
    script.calls("Bash", {"command": "git commit -m 'x'"}, "nope", error=True)
    script.messages.append(
        Message(len(script.messages), "assistant", (), tool_calls=(ToolCall("u", "TodoWrite", '{"todos":["a"]}'),))
    )
    assert script.end() == EMPTY


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{",
        "null",
        "[]",
        '"todos"',
        '{"todos": 3}',
        '{"todos": "["}',
        '{"todos": null}',
        "[" * 100_000,
        "[" * 100_000 + "commit",
    ],
)
@pytest.mark.parametrize("name", ["TodoWrite", "TaskCreate", "TaskUpdate", "ExitPlanMode", "Bash"])
def test_that_unusable_arguments_give_nothing(name: str, arguments: str) -> None:
    assert Script().calls(name, arguments).end() == EMPTY


@pytest.mark.parametrize(
    ("command", "result", "subject"),
    [
        ('git add -A && git commit -m "Fix the login"', "", "Fix the login"),
        ("git commit -am 'Fix the login'", "1 file changed", "Fix the login"),
        ('git -C repo commit --message="Fix the login\n\nLong story"', "", "Fix the login"),
        ("git commit -m \"$(cat <<'EOF'\nFix the login\n\nLong story\nEOF\n)\"", "", "Fix the login"),
        ("git commit -m 'A' -m 'B'", "[main 1a2b3c4] Fix the login\n 1 file changed", "Fix the login"),
        ("git commit", "[main (root-commit) 1a2b3c4] Fix the login", "Fix the login"),
        ('git commit -m "修复登录"', "", "修复登录"),
    ],
)
def test_that_a_commit_is_a_decision(command: str, result: str, subject: str) -> None:
    state = Script().calls("Bash", {"command": command}, result).end()
    assert texts(state.decisions) == [f"commit: {subject}"]


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("git commit -m 'x'", "On branch main\nnothing to commit, working tree clean"),
        ("git commit -m 'x'", "fatal: not a git repository"),
        ("git commit -m 'x'", "hook failed\nExit code: 1"),
        ("git commit", "Aborting"),
        ("git log --oneline", "1a2b3c4 commit -m x"),
        ("echo commit", "commit"),
    ],
)
def test_that_a_commit_that_did_not_happen_is_none(command: str, result: str) -> None:
    assert Script().calls("Bash", {"command": command}, result).end() == EMPTY


def test_that_an_amended_commit_takes_the_place_of_the_last_one() -> None:
    script = Script().calls("Bash", {"command": "git commit -m 'Fix logn'"})
    script.calls("Bash", {"command": "git commit --amend -m 'Fix login'"})
    assert texts(script.end().decisions) == ["commit: Fix login"]


def test_that_an_approved_plan_is_a_decision() -> None:
    script = Script().calls("ExitPlanMode", {"plan": "# Cache the index\n\n1. measure"}, "approved")
    script.calls("ExitPlanMode", {"plan": "# Rewrite all"}, "rejected", error=True)
    assert texts(script.end().decisions) == ["plan: Cache the index"]


def test_that_too_many_decisions_lose_commits_first_and_rules_last() -> None:
    limits = Limits(max_decisions=3)
    script = Script().prompt("Never edit setup.cfg.").says("Decision: use SQLite for counts.")
    script.calls("Bash", {"command": "git commit -m 'one'"}).calls("Bash", {"command": "git commit -m 'two'"})
    assert texts(script.end(limits).decisions) == [
        "Never edit setup.cfg.",
        "use SQLite for counts.",
        "commit: two",
    ]
    script.prompt("Do not add dependencies.").prompt("Always run the tests.")
    rules = ["Never edit setup.cfg.", "Do not add dependencies.", "Always run the tests."]
    assert texts(script.end(limits).decisions) == rules
    script.prompt("Never push.")
    assert texts(script.end(limits).decisions) == [*rules[1:], "Never push."]
