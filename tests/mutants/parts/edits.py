"""Faults in how edits bring up to date what was read, and in differences that need their first version."""

from tests.mutants.fault import Fault, Part

_TESTS = "replay/stepping/test_edited_files.py replay/stepping/test_differences.py scheduler/test_dedup.py"

EDITS = Part(
    "edits",
    "engine/ravenglass",
    "tests/engine",
    (
        Fault(
            "hub/files/fingerprint.py",
            '    if older.file.op != "read" or older.file.part:\n',
            '    if older.file.op != "read":\n',
            _TESTS,
            "a part that was read is brought up to date as if it were the whole file",
        ),
        Fault(
            "hub/files/fingerprint.py",
            "takewhile(lambda result: result < boundary, results)",
            "takewhile(lambda result: result <= boundary, results)",
            _TESTS,
            "an edit is known one message too early",
        ),
        Fault(
            "hub/files/fingerprint.py",
            "if known != message or done > count:",
            "if known != message:",
            _TESTS,
            "an earlier state is asked for after a later one, and the later one is given",
        ),
        Fault(
            "hub/files/fingerprint.py",
            "return latest * 2 + 2 + offloaded if latest >= 0 else 0",
            "return latest * 2 + 2 if latest >= 0 else 0",
            _TESTS,
            "a large read that was edited is never offloaded",
        ),
        Fault(
            "hub/sizes.py",
            "return ShownText(text, counted + self.key.overhead, verbatim=False)",
            "return ShownText(text, self.full[message], verbatim=False)",
            _TESTS,
            "what was brought up to date costs what was read",
        ),
        Fault(
            "hub/sizes.py",
            '        self.__dict__.pop("edited", None)\n',
            "",
            "embed/test_edited_files.py",
            "a growing session never learns of new edits",
        ),
        Fault(
            "hub/files/content.py",
            'NUMBERED = re.compile(r"^[ \\t]*',
            'NUMBERED = re.compile(r"^\\s*',
            "hub/files/test_content.py hub/files/test_twins.py",
            "a number swallows the empty lines before it",
        ),
        Fault(
            "scheduler/view.py",
            "return Form.UPDATED if self.edits(index) else self.offload_form(index)",
            "return self.offload_form(index)",
            _TESTS,
            "a slow path shows what was read before the edit",
        ),
        Fault(
            "scheduler/exempt.py",
            "for g in (pinned | protected) - must - view.hand.whole:",
            "for g in protected - must - view.hand.whole:",
            _TESTS,
            "a pinned file stays as it was read",
        ),
        Fault(
            "scheduler/exempt.py",
            "for g in (pinned | protected) - must - view.hand.whole:",
            "for g in (pinned | protected) - must:",
            _TESTS,
            "what a person retrieved and pinned is rewritten",
        ),
        Fault(
            "scheduler/dedup.py",
            "if form is Form.OUT or form in _SHORTENED:",
            "if form is Form.OUT:",
            _TESTS,
            "a reference counts as whole",
        ),
        Fault(
            "curator/assembler.py",
            "        while draft.restore():\n            draft.fit()\n",
            "",
            _TESTS,
            "a difference stays where its first version had to leave",
        ),
        Fault(
            "replay/stepping/step.py",
            "        self._restore(view)\n",
            "",
            _TESTS,
            "a difference stays where its first version was archived by hand",
        ),
        Fault(
            "replay/stepping/step.py",
            "            self._update(view)\n",
            "",
            _TESTS,
            "under the eager lifecycle an edit waits for the slow path",
        ),
        Fault(
            "replay/stepping/step.py",
            "keep = view.must_keep() | view.hand.whole",
            "keep = view.must_keep()",
            _TESTS,
            "under the eager lifecycle what a person retrieved is rewritten",
        ),
    ),
)
