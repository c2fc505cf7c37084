"""Texts are compressed once for clients that accept it, and are the same bytes once decoded."""

import gzip
import json

from client import Client, until
from market import Market

PAGES = "/.well-known/furrow-pages"
#: What a phone fetches before the shop's first paint, and the limit of it: an empty farm, compressed.
FIRST_PAINT = 60_000


def decoded(answer) -> bytes:
    match answer.headers.get("content-encoding"):
        case "gzip":
            return gzip.decompress(answer.body)
        case None:
            return answer.body
        case other:
            raise AssertionError(other)


def accepting(client: Client, path: str, coding: str, **more: str):
    return client.call("GET", path, headers={"Accept-Encoding": coding} | more)


def test_pages_are_the_same_in_every_coding(shared):
    client = Client(shared.farm.port)
    sizes = {"identity": 0, "gzip": 0}
    compressed = 0
    for path in client.get(PAGES)["files"]:
        plain = accepting(client, path, "identity")
        assert plain.status == 200 and "content-encoding" not in plain.headers, path
        sizes["identity"] += len(plain.body)
        for coding in ("gzip",):
            answer = accepting(client, path, f"br, {coding}")
            assert answer.status == 200 and decoded(answer) == plain.body, path
            sizes[coding] += len(answer.body)
            if "content-encoding" not in answer.headers:
                continue
            compressed += 1
            assert answer.headers["vary"] == "Accept-Encoding" and answer.headers["etag"] != plain.headers["etag"]
            again = accepting(client, path, f"br, {coding}", **{"If-None-Match": answer.headers["etag"]})
            assert again.status == 304 and not again.body
    print(f"compression: {compressed} files; bytes: {sizes}")
    assert compressed >= 100 and sizes["gzip"] < sizes["identity"] / 2


def test_what_is_not_accepted_is_not_sent(shared):
    client = Client(shared.farm.port)
    path = "/assets/css/app.css"
    for words, coding in (("", None), ("gzip;q=0", None), ("identity", None), ("zstd, gzip", "gzip"), ("GZIP", "gzip"),
                          ("zstd", None), ("gzip;q=x", None), (",;,", None), ("*", None)):
        answer = accepting(client, path, words)
        assert answer.status == 200 and answer.headers.get("content-encoding") == coding, words
    # A node has what the farm has signed: the body as it is.
    signed = accepting(client, "/v1/sync", "gzip", **{"Accept-Signature": 'farm=("content-digest")'})
    assert "signature" in signed.headers and "content-encoding" not in signed.headers


def test_a_snapshot_is_made_once_until_a_public_record_changes(own_farm):
    farm = own_farm().start()
    market = Market(farm, 10, 1)
    client = Client(farm.port)

    def snapshot(coding: str = "identity", **more: str):
        return accepting(client, "/v1/sync", coding, **more)

    until(lambda: "tomatoes-1" in snapshot().body.decode(), 30, "the offer in the snapshot")
    first = snapshot()
    assert decoded(snapshot("gzip")) == first.body
    tag = {"If-None-Match": first.headers["etag"]}
    assert snapshot(**tag).status == 304
    # What only its owner may read changes nothing, and what is told to a buyer is in no snapshot.
    bea = Client(farm.port, market.buyers[0])
    assert bea.get("/v1/sync")["me"]["role"] == "buyer" and json.loads(snapshot().body)["me"] is None
    position = json.loads(first.body)["timestamp"]
    farm.client().make("POST", "/v1/products", {"product": "beans", "farm": "sonnhof", "title": "Beans", "unit": "box"})
    changed = until(lambda: (answer := snapshot(**tag)).status == 200 and answer, 10, "a new snapshot")
    assert b'"beans"' in changed.body and changed.headers["etag"] != first.headers["etag"]
    # Who had the first snapshot gets the change by its position.
    delta = client.get("/v1/sync", last_pulled_at=position)
    assert [one["id"] for one in delta["changes"]["products"]["created"]] == ["beans"] and not delta["replace"]
    print(f"compression: a snapshot of {len(first.body)} bytes takes {len(snapshot('gzip').body)} by gzip")
