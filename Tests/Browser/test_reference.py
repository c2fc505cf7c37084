"""The reference for programmers: every operation and event, on a phone, by keyboard and without a network."""

import json
from urllib.request import urlopen

import pytest
from story_driver import wait_until
from test_accessibility import look_at_all

pytestmark = [pytest.mark.home("market"), pytest.mark.shared]
#: The folded entries of one kind.
ENTRIES = "(kind) => Array.from(document.querySelectorAll(`[data-${kind}]`), (one) => one.dataset[kind])"


def test_the_reference_has_every_operation_and_every_event(gateway, new_phone):
    page = new_phone(service_workers="block").new_page()
    page.goto(f"{gateway.url}/docs")
    with urlopen(f"{gateway.url}/openapi.json") as answer:
        document = json.load(answer)
    described = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    operations, events = page.evaluate(ENTRIES, "operation"), page.evaluate(ENTRIES, "event")
    assert set(operations) == described and len(operations) == len(described) >= 180
    assert len(set(events)) == len(events) >= 120
    broken = page.evaluate("""() => Array.from(document.querySelectorAll('a[href^="#"]'), (one) => one.hash.slice(1))
        .filter((id) => !document.getElementById(id))""")
    assert broken == []
    print(f"reference: {len(operations)} operations, {len(events)} events")


def test_an_operation_unfolds_by_keyboard_and_says_shapes_units_and_errors(gateway, new_phone, pictures):
    page = new_phone(service_workers="block", reduced_motion="reduce").new_page()
    page.goto(f"{gateway.url}/docs")
    page.locator("#harvest > summary").focus()
    page.keyboard.press("Enter")
    words = page.locator("#harvest").inner_text()
    for part in ("Idempotency-Key", "at least grower", "grams", "Response 201", "422"):
        assert part in words, (part, words)
    page.locator("details[data-event$='order-record-changed.v1'] > summary").click()
    assert "smallest unit" in page.locator(".terms").first.inner_text()
    page.evaluate("document.querySelectorAll('details').forEach((one, index) => { one.open = index % 20 === 0; })")
    look_at_all(page, "reference", pictures)


def test_a_device_that_has_seen_the_reference_opens_it_without_a_network(gateway, new_phone):
    context = new_phone()
    page = context.new_page()
    page.goto(gateway.url)
    page.evaluate("navigator.serviceWorker.ready")
    wait_until(page, "navigator.serviceWorker.controller !== null")
    page.goto(f"{gateway.url}/docs")
    wait_until(page, "caches.open('furrow-staff').then((cache) => cache.match('/assets/docs.html')).then(Boolean)")
    wait_until(
        page, "caches.open('furrow-staff').then((cache) => cache.match('/assets/css/reference.css')).then(Boolean)")
    context.set_offline(True)
    page.reload()
    assert page.locator("[data-operation]").count() >= 180
    assert page.evaluate("getComputedStyle(document.querySelector('.members > div')).borderTopStyle") == "solid"
