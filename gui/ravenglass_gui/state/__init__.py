"""What is shown: session, runs, playhead, selection, filter, plan. Views and workers meet here."""
