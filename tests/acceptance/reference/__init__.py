"""An independent reference, slow and plain: one call predicted from the call before it, and compared with the program.

Checked for every call: budget and quotas (3.x), groups, turns and calls (1.x), tiers (4.x), scores with their parts,
what is protected and pinned (5.x, 6.30), pressure and path, who is kept in which form and state, cuts by quota, what is
archived (6.x, 7.x), every window's messages, order, pairs, texts, tokens by tier, stubs and references, the working
state's limits and sources, the summary's limits, breakpoints' limits, cache reads, hits and breaks, cost, and the
archive byte by byte. Taken from the program as given: relevance, what expires, the number of the task, where
breakpoints are placed, the texts of working state and summary. Where what is exempt passes C and the assembler cuts,
only limits and texts are checked; the table says how often.
"""
