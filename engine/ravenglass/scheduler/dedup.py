"""Deduplication: the same content twice keeps the latest, a file read again stands as the difference.

Runs after packing, over what goes into the window; it changes forms, never who is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ravenglass.hub.item import Form
from ravenglass.hub.sizes import reference_cap
from ravenglass.scheduler.exempt import Exempt
from ravenglass.scheduler.view import View

_SHORTENED: Final = frozenset({Form.SHRUNK, Form.REFERENCE})


def tell_again(view: View, forms: dict[int, Form], exempt: Exempt) -> Iterator[tuple[int, Form, int]]:
    """(group, REFERENCE, cap) for groups that get smaller by it. Exempt groups and those retrieved by hand stay."""
    boundary = view.features.boundary(view.call)
    told_again = view.sizes.twins.groups
    for g, form in forms.items():
        if form is not Form.FULL and form is not Form.OFFLOADED:
            continue
        if g not in told_again or g in exempt.forms or g in view.hand.whole:
            continue
        told = [m for m in view.group(g).messages if _is_told(view, m, boundary)]
        if not told or not all(_stands_elsewhere(view, forms, m, boundary) for m in told):
            continue
        cap = reference_cap(view.call, offloaded=form is Form.OFFLOADED)
        before = view.live.caps.get(g, 0)
        if view.live.forms[g] == Form.REFERENCE and _same(view, g, before, cap):
            cap = before
        if view.tokens(g, Form.REFERENCE, cap) < view.tokens(g, form):
            yield g, Form.REFERENCE, cap


def _is_told(view: View, message: int, boundary: int) -> bool:
    """Whether a REFERENCE group shows the message by what another one says."""
    twins = view.sizes.twins
    return twins.later(message, boundary) is not None or bool(twins.patch(message))


def _stands_elsewhere(view: View, forms: Mapping[int, Form], message: int, boundary: int) -> bool:
    """Whether what the message says is in the window whole, in a later result or as the file's first version."""
    twins = view.sizes.twins
    later = twins.later(message, boundary)
    if later is not None:
        return _is_whole(view, forms, later)
    base = twins.base(message)
    return base is not None and _is_whole(view, forms, base)


def _is_whole(view: View, forms: Mapping[int, Form], message: int) -> bool:
    """Whether a window with groups in these forms shows all of a result."""
    holder = view.features.session.structure.group_of[message]
    form = forms.get(holder, Form.OUT)
    if form is Form.OUT or form in _SHORTENED:
        return False
    cap = view.edits(holder) if form is Form.UPDATED else 0
    shown = view.sizes.shown(view.group(holder), form, view.profile.offload_tokens, cap)
    return message in shown and shown[message].verbatim


def bereft(view: View, forms: Mapping[int, Form], groups: Iterable[int]) -> list[int]:
    """REFERENCE groups of these that stand as a difference from a version that is not whole in the window."""
    boundary, twins = view.features.boundary(view.call), view.sizes.twins
    found = []
    for g in groups:
        told = (m for m in view.group(g).messages if twins.later(m, boundary) is None and twins.patch(m))
        if not all(_is_whole(view, forms, base) for m in told if (base := twins.base(m)) is not None):
            found.append(g)
    return found


def _same(view: View, g: int, before: int, now: int) -> bool:
    """Whether a reference made at an earlier call still reads the same: then the prefix stays as it is."""
    group, offload = view.group(g), view.profile.offload_tokens
    return view.sizes.shown(group, Form.REFERENCE, offload, before) == view.sizes.shown(
        group, Form.REFERENCE, offload, now
    )
