"""The suggestions through the API of Gorse, called by Gorse's own Python client."""

import pytest
from client import until
from farm import Farm
from gorse import Gorse, GorseException

PRODUCTS = ["apples", "beets", "carrots", "dill"]


@pytest.fixture(scope="module")
def shop():
    """A shop with four products, and the client of an administrator's token."""
    farm = Farm()
    try:
        farm.start()
        client = farm.claim()
        client.make("POST", "/v1/farms", {"farm": "f1", "title": "Grocer", "zone": "UTC"})
        client.make("POST", "/v1/plots", {"farm": "f1", "plot": "p1", "title": "Field"})
        client.make("POST", "/v1/lots", {"lot": "L1", "product": "Fresh food", "plot": "p1", "grams": 1_000_000})
        client.make("POST", "/v1/lots/L1/packings", {"boxes": 100, "gramsEach": 1000})
        until(lambda: client.settle("PUT", "/v1/stock/L1", {"boxes": 100}).status == 200, 20, "the lot in the market")
        for product in PRODUCTS:
            category = "fruit" if product == "apples" else "roots"
            client.make("POST", "/v1/products", {"product": product, "farm": "f1", "title": product.title(),
                                                 "unit": "piece", "category": category})
            client.make("POST", "/v1/offers", {"product": product, "lot": "L1",
                                               "price": {"minor": 100, "currency": "EUR"}})
        gorse = Gorse(f"http://127.0.0.1:{farm.port}", client.token or "", timeout=20)
        until(lambda: len(gorse.get_items(10)[0]) == 4, 20, "the products in the recommender")
        yield farm, client, gorse
    finally:
        farm.destroy()


def test_gorses_client_reports_feedback_and_gets_recommendations(shop):
    farm, client, gorse = shop
    # What people did elsewhere: eight of them buy apples with beets, week after week.
    feedback = [{"FeedbackType": "purchase", "UserId": f"u{person}", "ItemId": item, "Value": 1,
                 "Timestamp": f"2026-0{week + 1}-0{person + 1}T10:00:00Z"}
                for person in range(8) for week in range(3) for item in ("apples", "beets")]
    assert gorse.insert_feedbacks(feedback)["RowAffected"] == len(feedback)
    assert gorse.insert_feedback("read", "u1", "dill", "2026-04-01")["RowAffected"] == 1
    assert gorse.insert_feedback("purchase", "u1", "unknown-thing", "")["RowAffected"] == 0
    found = [one.id for one in gorse.get_recommend("u1", n=4)]
    assert set(found[:2]) == {"apples", "beets"} and len(found) == 4, found
    assert [one.score for one in gorse.get_recommend("u1", n=3, offset=1)] == [1 / 2, 1 / 3, 1 / 4]
    assert [one.id for one in gorse.get_recommend("u1", category="fruit")] == ["apples"]
    until(lambda: [one["Id"] for one in gorse.get_neighbors("apples")] == ["beets"], 20, "a model")
    session = gorse.session_recommend([{"FeedbackType": "read", "UserId": "", "ItemId": "apples"}], n=2)
    assert session[0]["Id"] == "beets", session
    # The page's shelves are the same.
    shelves = {one["shelf"]: [item["product"] for item in one["items"]]
               for one in client.get("/v1/shelves", person="u1")["shelves"]}
    assert shelves["viewed"] == ["dill"] and set(shelves["again"]) == {"apples", "beets"}, shelves

    listed, cursor = gorse.get_feedbacks(100)
    assert len(listed) == 8 * 2 + 1 and cursor == ""
    assert {one["ItemId"] for one in gorse.list_feedbacks("purchase", "u1")} == {"apples", "beets"}
    assert gorse.delete_feedback("u1", "dill")["RowAffected"] == 1
    first, cursor = gorse.get_users(5)
    rest, end = gorse.get_users(5, cursor)
    assert sorted(one["UserId"] for one in first + rest) == [f"u{person}" for person in range(8)] and end == ""
    assert gorse.get_user("u3")["UserId"] == "u3"
    assert gorse.delete_user("u3")["RowAffected"] == 2
    with pytest.raises(GorseException) as error:
        gorse.get_user("u3")
    assert error.value.status_code == 404
    farm.audited()


def test_products_and_people_are_the_shops_own_and_strangers_get_nothing(shop):
    farm, _, gorse = shop
    items, cursor = gorse.get_items(3)
    assert [one["ItemId"] for one in items] == PRODUCTS[:3] and cursor == "carrots"
    assert gorse.get_items(3, cursor) == ([gorse.get_item("dill")], "")
    assert gorse.get_item("apples")["Categories"] == ["fruit"] and gorse.get_item("apples")["Comment"] == "Apples"
    assert [one["ItemId"] for one in gorse.search_items("BEET")] == ["beets"]
    # Writing them is accepted, and changes nothing.
    changes = [gorse.insert_item({"ItemId": "apples", "IsHidden": True}), gorse.update_item("apples", is_hidden=True),
               gorse.delete_item("apples"), gorse.insert_user({"UserId": "new", "Labels": ["x"]}),
               gorse.insert_users([{"UserId": "new"}])]
    assert [one["RowAffected"] for one in changes] == [0] * 5
    assert gorse.get_item("apples")["IsHidden"] is False
    for key in ("", "wrong"):
        with pytest.raises(GorseException) as error:
            Gorse(gorse.entry_point, key, timeout=20).get_recommend("u1")
        assert error.value.status_code == 401
    for user in ("bea@farm.test", "Bea Loma"):
        with pytest.raises(GorseException) as error:
            gorse.insert_feedback("purchase", user, "apples", "")
        assert error.value.status_code == 422 and "the log is permanent" in error.value.message
    farm.audited()


def test_feedback_survives_a_kill_and_is_part_of_the_replay(shop):
    farm, _, gorse = shop
    gorse.insert_feedback("purchase", "late", "carrots", "2026-05-01T10:00:00Z")
    farm.kill("recommender/farm-0")
    until(lambda: [one["ItemId"] for one in gorse_or_none(gorse)] == ["carrots"], 30, "the feedback after a kill")
    events = [event for event in farm.replay() if event["type"].endswith("feedback-received.v1")]
    assert len(events) >= 2


def gorse_or_none(gorse) -> list[dict]:
    try:
        return gorse.list_feedbacks("purchase", "late")
    except GorseException:
        return []
