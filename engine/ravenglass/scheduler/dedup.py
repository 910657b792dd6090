"""Deduplication: the same content twice keeps the latest, a file read again stands as the difference.

Runs after packing, over what goes into the window; it changes forms, never who is in.
"""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.hub.item import Form
from ravenglass.hub.sizes import reference_cap
from ravenglass.scheduler.exempt import Exempt
from ravenglass.scheduler.view import View


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
        if not told or not all(_stands_elsewhere(view, forms, exempt, m, boundary) for m in told):
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


def _stands_elsewhere(view: View, forms: dict[int, Form], exempt: Exempt, message: int, boundary: int) -> bool:
    """Whether what the message says is in the window whole, in a later result or as the file's first version."""
    twins = view.sizes.twins
    group_of = view.features.session.structure.group_of
    later = twins.later(message, boundary)
    if later is not None:
        holder = group_of[later]
        form = forms.get(holder, Form.OUT)
        if form is Form.OUT:
            return False
        shown = view.sizes.shown(view.group(holder), form, view.profile.offload_tokens)
        return later in shown and shown[later].verbatim
    base = twins.base(message)
    # Only a version that cannot be trimmed is a base that stays.
    return base is not None and group_of[base] in exempt.protected and exempt.forms[group_of[base]] is Form.FULL


def _same(view: View, g: int, before: int, now: int) -> bool:
    """Whether a reference made at an earlier call still reads the same: then the prefix stays as it is."""
    group, offload = view.group(g), view.profile.offload_tokens
    return view.sizes.shown(group, Form.REFERENCE, offload, before) == view.sizes.shown(
        group, Form.REFERENCE, offload, now
    )
