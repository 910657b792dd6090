"""An independent reference, slow and plain: one call predicted from the call before it, and compared with the program.

Numbers are those of docs/design/rules.md, whose source is the engine's design page.

Compared for every call of every run:
- 3.1 to 3.9, 3.14 to 3.18: C, O, S, B and the quotas to the token; share of P, exempt and used tokens of every tier in
  which something was cut; the hard cap; what is borrowed; every window's tokens, in all and by tier, and never over C.
- 4.1 to 4.6, 4.12 to 4.16: tiers by the ordered rules, release, stubs of look-ups, the eager lifecycle. 4.7: what the
  end of a task releases.
- 5.3 to 5.8, 5.12 to 5.14, 5.17 to 5.20, 5.22, 5.23: score from its parts, recency, reliability; rank, packing, passing
  over; references; order; standby and archive.
- 6.1 to 6.3, 6.24 to 6.36: pressure, path, who is pinned, protected, current, newest; the protected cap; form and state
  of every group; structure of every window; every text in it, whole, stub or reference, byte by byte.
- 5.25: which reads stand as edits left their files, and their texts. 5.26: a difference has its first version whole.
- 4.27: that what was read of a file expires once a later call wrote or edited it, in the plainest case of that.
- 7.5, 7.6, 7.16: the saved archive against the bytes of the session file, and its digests.
- 10.1, 10.2, 10.6: offloading, stubs; a summary's size and last line. 6.39: limits of the working state, that its lines
  were said, and that it holds still between slow paths.
- 11: breakpoints' number and order, what each call reads, hits and breaks (requests compared block by block in their
  bytes), lifetime, cost.

Taken from the program as given, because the design does not say it to the letter: relevance (5.1, 5.21: which words are
entities), which call does what to which file, what expires (4.27, 4.33, 4.34: what a command does to files) and is
archived for that, the number of the task (4.8 to 4.11), where breakpoints are placed, the very words of working
state and summary, the address of an item.
A score is checked from its parts, and what follows from score, expiry and task is predicted.

By limits only (the printed table says how often): a call in which what is exempt passes C, so that the assembler cuts;
a call that makes a summary, for which more may leave, or has no room for its working state in the end; texts that were
cut to fit; differences of a file.

Not looked at: models and people as policies, the fail-safe, steps of the loop, snapshots, rollbacks, needs and regrets,
recorded runs, search, the embedded engine.

Readings, where the design leaves several:
- Shares become whole tokens by rounding; P first, then each tier's share of P.
- The role of a tool exchange, in a tier rule, is `tool`; a result without its call stands as the user's.
- Current are the latest prompt, the latest message of a user of any kind, and results that no call has seen yet.
- Released at a call counts as standby before its cut, so that it may be archived there; what was active may not.
- A reference, as a difference, only where it is under half the size. Exempt groups are never references.
  What is current counts under the protected cap as droppable, and stays.
- A whole log (`pressure_basis` full_log) and the cap of the global tier count a late result from its call on.
- A provider keeps what the latest requests begin with, each time read again; S is the beginning of all of them.
"""
