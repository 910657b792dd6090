"""One call of a replay: its inputs, the step, the changes it leaves."""
