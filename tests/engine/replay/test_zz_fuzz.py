from hypothesis import given, settings, HealthCheck, strategies as st, target
from ravenglass.replay import replay
from ravenglass.replay.moment import rerun
from ravenglass.hub.item import Form
from tests.engine import builders as b
from tests.engine.replay.validity import problems
S=settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

runs = st.builds(replay, b.sessions(turns=5, exchanges=5).filter(b.with_calls), b.profiles())
@S
@given(runs)
def test_budget(run):
    for c in range(1, run.calls+1):
        w = run.window(c); f = run.frame(c)
        assert w.tokens <= run.budget.available
        assert w.tokens == f.tokens == sum(m.tokens for m in w.messages) == sum(t.used for t in f.tiers)
@S
@given(runs)
def test_stable(run):
    for c in range(1, run.calls+1):
        assert run.window(c).stable_tokens == run._log.prefix[c-1], c
@S
@given(runs)
def test_break(run):
    for c in range(2, run.calls+1):
        assert bool(run.frame(c).cache_break) == (run._log.prefix[c-1] < run._log.tokens[c-2]), c
@S
@given(runs)
def test_included(run):
    for c in range(1, run.calls+1):
        w=run.window(c); ids=[m.id for m in w.messages if m.id is not None]
        assert len(set(ids))==len(ids)==run.frame(c).included
        assert set(ids)=={m for m in range(run.rows(c)) if run.in_window(c,m)}
@S
@given(runs)
def test_structure(run):
    for c in range(1, run.calls+1):
        assert problems(run.window(c).messages)==[], c
@S
@given(runs)
def test_rerun(run):
    for c in range(1, run.calls+1):
        r=rerun(run.facts, run._log, c)
        after=(bytes(t.at(c)&7 for t in run._log.tracks), bytes(t.at(c)>>3 for t in run._log.tracks))
        assert r.after==after
        assert r.result.tokens==run._log.tokens[c-1]
        assert r.result.path==run.paths[c-1]
        assert r.result.archived==run._log.archived.get(c,{})
@S
@given(runs)
def test_loop(run):
    for c in range(1, run.calls+1):
        l=run.loop(c); l.run()
        after=(bytes(t.at(c)&7 for t in run._log.tracks), bytes(t.at(c)>>3 for t in run._log.tracks))
        assert (bytes(l.live.states), bytes(l.live.forms))==after
        assert {g:cap for g in range(len(run._log.tracks)) if (cap:=run._log.tracks[g].cap_at(c))}==l.live.caps
        assert l.result.tokens==run._log.tokens[c-1]
        assert l.result.path==run.paths[c-1]
@S
@given(runs)
def test_must(run):
    for c in range(1, run.calls+1):
        ids={m.id for m in run.window(c).messages}
        if run.window(c).impossible: continue
        users=[m.id for m in run.session.messages[:run.rows(c)] if m.role=='user']
        prompts=[m.id for m in run.session.messages[:run.rows(c)] if m.role=='user' and m.kind=='prompt']
        if users: assert users[-1] in ids
        if prompts: assert prompts[-1] in ids
        known=run.facts.features.known[c]
        if known: assert run.facts.features.groups[known-1].messages[0] in ids
