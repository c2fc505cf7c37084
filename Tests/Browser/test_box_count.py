"""The boxes in a store are counted by the codes on their labels, and the market's stock is corrected with a reason."""

import re

import pytest
from conftest import DESKTOP, PHONE
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from test_accessibility import look

GUS = {"name": "Gus", "email": "gus@farm.test", "password": "the shed has four corners"}


@pytest.fixture
def cold_store():
    """A farm with a packed lot in its cold store; the market has its boxes."""
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        client = farm.client
        client.make("POST", "/v1/accounts", GUS | {"role": "grower"})
        (store,) = client.items("/v1/stores")
        client.make("POST", "/v1/plots", {"farm": store["farm"], "plot": "p1", "title": "Field"})
        client.make("POST", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 9000})
        client.make("POST", "/v1/lots/TOM-1/packings", {"boxes": 4, "gramsEach": 1000})
        client.make("POST", "/v1/lots/TOM-1/storings", {"store": store["store"]})
        until(lambda: client.settle("PUT", "/v1/stock/TOM-1", {"boxes": 4}).status == 200, 20, "the boxes to be for sale")
        yield farm, store["store"]
    finally:
        farm.destroy()


def test_boxes_are_counted_by_two_people_and_the_stock_is_corrected_with_a_reason(cold_store, new_phone, pictures):
    farm, store = cold_store
    client = farm.client
    labels = client.make("POST", "/v1/lots/TOM-1/labels")["labels"]
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    office.go(f"/stores/{store}")
    look(office.page, "store-boxes", "desk", "light", pictures)
    office.page.get_by_role("button", name="Count the boxes").click()
    office.page.wait_for_selector("#tally :text('0 of 4')")
    path = office.page.url.split("#")[1]
    # When one person scans two labels, and the other one a third
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go(path)
    phone.page.locator("[data-form^=count] [name=place]").select_option(f"store/{store}")
    # What is no label of the farm's does not count: one without a signature, one with another, and a damaged one
    unsigned = re.sub(r"/S1[A-Z0-9]{4}[A-Z2-7]+/", "/", labels[3]["url"])
    other = re.sub(r"/S1[A-Z0-9]{4}[A-Z2-7]+/", re.findall(r"/S1[A-Z0-9]{4}[A-Z2-7]+/", labels[0]["url"])[0],
                   labels[3]["url"])
    for url, reason in ((unsigned, "no signature"), (other, "is false"), (other.replace("/S1", "/S1ZZ", 1), "damaged")):
        scan(phone, url, reason)
    # Without a network, too: the keys were loaded with the page
    phone.page.context.set_offline(True)
    scan(phone, other, "is false")
    phone.page.context.set_offline(False)
    scan(phone, labels[0]["url"])
    phone.page.wait_for_selector("#tally :text('1 of 4')")
    scan(phone, labels[1]["url"])
    office.page.wait_for_selector("#company:has-text('Counting now: Gus at')")
    scan(office, labels[2]["url"])
    for pages in (office, phone):
        pages.page.wait_for_selector("#tally :text('3 of 4')", timeout=20_000)
    lot = phone.page.locator("#counted-lots [data-lot=TOM-1]")
    lot.get_by_text("1 box fewer").wait_for()
    look(phone.page, "box-count", "phone", "light", pictures)
    assert lot.get_by_role("button").count() == 0, "the count is not finished"
    # Then the report is final, and proposes the correction
    office.page.locator("[data-form^=finish] [name=accept]").check()
    office.page.locator("[data-form^=finish] button[type=submit]").click()
    correct = office.page.locator("#counted-lots").get_by_role("button", name="Correct the stock of TOM-1 by −1")
    correct.wait_for()
    look(office.page, "box-count-report", "desk", "dark", pictures)
    correct.click()
    office.page.locator("#counted-lots").get_by_text("That agrees.").wait_for()
    (stock,) = [one for one in client.items("/v1/stock") if one["lot"] == "TOM-1"]
    reasons = [str(entry) for entry in farm.server.replay() if "stock-adjusted" in str(entry)]
    print(f"3 of 4 boxes found by 2 people; the market has {stock['boxes']}; {len(reasons)} correction in the log")
    assert stock["boxes"] == 3 and len(reasons) == 1 and "3 of 4 boxes found" in reasons[0]
    # The inventory is that of the store, and is counted again next time.
    office.go(f"/stores/{store}")
    office.page.get_by_role("button", name="Count the boxes").wait_for()
    assert [one["boxes"] for one in client.items("/v1/inventories")] == [True]
    office.go("/inventories")
    office.page.get_by_text("4 boxes").wait_for()
    assert office.problems == [] and phone.problems == []


def scan(pages: StaffPages, url: str, shown: str = "Tomatoes, lot TOM-1") -> None:
    """Types the address on a label into the dialog that reads codes, as a camera would read it."""
    pages.page.get_by_role("button", name="Scan codes").click()
    dialog = pages.page.locator("dialog")
    dialog.get_by_label("Or type what is printed below it").fill(url)
    dialog.get_by_role("button", name="Use this").click()
    dialog.get_by_text(shown).wait_for()
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")
