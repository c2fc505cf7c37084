"""Values that people read themselves: one in a form, and a CSV file with a preview and an error for each line."""

from datetime import UTC, datetime, timedelta

import pytest
from client import until
from gateway import Gateway


def at_point(gateway: Gateway, point: str) -> list[float]:
    start = (datetime.now(UTC) - timedelta(days=3)).isoformat().replace("+00:00", "Z")
    buckets = gateway.client.items("/v1/readings", point=point, quantity="humidity", resolution="1h", **{"from": start})
    return [bucket["max"] for bucket in buckets if bucket["n"]]


@pytest.mark.shared
def test_values_are_recorded_one_by_one_and_from_a_file(gateway: Gateway, staff, tmp_path):
    gateway.client.make("PUT", "/v1/points/cellar", {"title": "Cellar, wall", "place": "store/cold1"})
    hours = [(datetime.now(UTC) - timedelta(hours=one)).strftime("%Y-%m-%dT%H:%M:%SZ") for one in (30, 20, 10)]
    file = tmp_path / "hygrometer.csv"
    file.write_text(
        "time;point;humidity\n" f'{hours[0]};"Cellar, wall";71,5\n' f"{hours[1]};cellar;72\n" f"{hours[2]};Attic;73\n"
        f"{hours[2]};cellar;173\n" "yesterday;cellar;74\n")
    for width in (390, 1280):
        pages = staff("grower", viewport={"width": width, "height": 844})
        pages.go("/sensors")
        pages.page.locator("#manual-readings > summary").click()
        pages.page.get_by_label("From a CSV file").set_input_files(file)
        pages.page.get_by_text("2 lines can be recorded, 3 lines cannot.").wait_for()
        errors = pages.text("[data-errors]")
        assert "Line 4: There is no measuring point “Attic”." in errors, errors
        assert "Line 5: humidity has to be between 0.0 and 100.0" in errors
        assert "Line 6: “yesterday” is not a time such as" in errors
        assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} px: too wide"
        pages.page.screenshot(path=tmp_path / f"file-{width}.png")
    assert at_point(gateway, "cellar") == []
    pages.page.get_by_role("button", name="Record 2 lines").click()
    until(lambda: at_point(gateway, "cellar") == [71.5, 72], 20, "the values of the file")
    # The page is drawn again once they are recorded.
    pages.page.wait_for_selector("#manual-readings:not([open])")
    pages.page.locator("#manual-readings > summary").click()
    pages.send("record-reading", point="cellar", quantity="humidity", value=75)
    until(lambda: at_point(gateway, "cellar") == [71.5, 72, 75], 20, "the value of the form")
    assert pages.problems == []
    gateway.client.make("POST", "/v1/points/cellar/retirement", {})
