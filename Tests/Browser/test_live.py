"""The staff's live feed, when the farm server has no place for it."""

import pytest

pytestmark = pytest.mark.shared


def test_a_live_feed_that_was_refused_is_asked_for_again(gateway, staff):
    busy = (503, {"title": "busy", "status": 503, "detail": "Too many live views are open; try again later."})
    gateway.override["GET /v1/live"] = refusals = [busy, busy]
    pages = staff("auditor")
    pages.page.wait_for_selector('[data-live="off"]')
    pages.page.wait_for_selector('[data-live="on"]', timeout=30_000)
    assert refusals == []
