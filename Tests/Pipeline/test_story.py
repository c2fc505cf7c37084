"""The whole story over the public API, each part verified independently."""

import base64
import subprocess
import time
from collections import Counter

import pytest
from verify import sha256, verify_checkpoint, verify_label, verify_passport


def test_fifty_claims_at_once_make_one_administrator(shared):
    counts = Counter(shared.claims)
    print(f"{len(shared.claims)} claims: {dict(counts)}")
    assert len(shared.claims) == 50
    assert counts[201] == 1 and counts[410] == 49
    enrolled = [event for event in shared.farm.replay("sync-gateway/farm-0")
                if event["type"] == "farm.furrow.sync.staff-enrolled.v1" and event["data"]["role"] == "administrator"]
    assert len([event for event in enrolled if event["actor"] == "person/" + event["data"]["person"]]) == 1


def test_a_session_is_required_for_closed_addresses(shared):
    stranger = shared.farm.client("nobody-s-token")
    closed = ["/v1/farms", "/v1/plots", "/v1/lots", "/v1/devices", "/v1/accounts", "/v1/alarms", "/v1/live"]
    statuses = [stranger.call("GET", path).status for path in closed]
    print(f"{len(closed)} closed addresses: {statuses}")
    assert statuses == [401] * len(closed)
    signed_in = shared.administrator.get("/v1/me")
    assert (signed_in["email"], signed_in["role"]) == ("ada@farm.test", "administrator")


def test_every_report_of_the_radio_is_one_event_with_its_values(story):
    reports = story.reports()
    field = [event["data"] for event in reports if event["data"]["device"] == story.field.device]
    values = [{reading["quantity"]: reading["value"] for reading in data["readings"]} for data in field]
    print(f"{len(reports)} reports, of the field's node {len(field)}")
    assert [value["temperature"] for value in values[:4]] == story.temperatures
    assert values[0] == {"temperature": 18.25, "humidity": 61.5, "illuminance": 41000.5, "voltage": 3.1}
    assert {data["format"] for data in field} == {"furrow-node-1"}
    plain = [event["data"] for event in reports if event["data"]["device"] == story.plain.device]
    assert [(r["quantity"], r["value"]) for r in plain[0]["readings"]] == [("temperature", 17.5)]
    devices = {device["device"]: device for device in story.client.items("/v1/devices")}
    assert devices[story.field.device]["point"] == "point-0"


def test_a_correction_is_stored_beside_what_it_corrects(story):
    rows = {row["activity"]: row for row in story.client.items("/v1/plots/p1/activities")}
    row = rows[story.told["compost"]["activity"]]
    assert len(rows) >= 4 and row["details"]["amount"] == 300
    assert [(one["details"]["amount"], one["reason"]) for one in row["corrections"]] == [(30, "One nought too many")]


def test_lots_keep_their_weight_through_split_and_pack(story):
    lots = {lot["lot"]: lot for lot in story.client.items("/v1/lots")}
    assert (lots["TOM-1"]["grams"], lots["TOM-1"]["left"]) == (240_000, 120_000)
    assert (lots["TOM-1A"]["grams"], lots["TOM-1A"]["left"], lots["TOM-1A"]["parent"]) == (120_000, 0, "TOM-1")
    assert lots["TOM-1"]["place"] == "store/s1" and story.told["harvest"]["restricted"] is True
    lot = story.client.get("/v1/lots/TOM-1A")
    assert len(lot["boxList"]) == 24 and sorted(box["serial"] for box in lot["boxList"]) == sorted(
        story.told["pack"]["serials"])
    refused = story.client.settle("POST", "/v1/lots/TOM-1A/packings", {"boxes": 1, "gramsEach": 1})
    assert refused.status == 409 and refused.json["type"].endswith("too-much"), refused


def test_every_printed_code_reads_back_as_its_signed_url(story, tmp_path):
    keys = story.client.get("/ledger/keys")
    labels = story.told["labels"]["labels"]
    for label in labels:
        gtin, lot, serial = verify_label(label["url"], keys)
        assert (gtin, lot, serial) == (story.told["harvest"]["gtin"], "TOM-1A", label["serial"])
    first = labels[0]
    read = 0
    for kind in ("png", "svg", "pdf"):
        query = {} if kind == "pdf" else {"serial": first["serial"]}
        answer = story.client.call("GET", f"/v1/lots/TOM-1A/labels.{kind}", query=query)
        assert answer.status == 200, answer
        path = tmp_path / f"label.{kind}"
        path.write_bytes(answer.body)
        urls = scanned(path, kind, tmp_path)
        # ECDSA signatures are randomised, so the signed content is compared.
        read_back = sorted(verify_label(url, keys) for url in urls)
        assert read_back == sorted(verify_label(label["url"], keys) for label in (labels if kind == "pdf" else [first]))
        assert {url.rsplit("/S1", 1)[0] for url in urls} == {first["url"].rsplit("/S1", 1)[0]}
        read += len(urls)
    print(f"{len(labels)} labels verified, {read} codes read back")
    assert len(labels) == 24 and read >= 26


def scanned(path, kind: str, folder) -> list[str]:
    """Returns what a scanner reads, for PDF and SVG from the rendered page at several sizes, as a phone sees it."""
    pictures = [path]
    if kind == "pdf":
        for dots in ("200", "300"):
            subprocess.run(["pdftoppm", "-r", dots, "-png", path, folder / f"page-{dots}"], check=True)
        pictures = sorted(folder.glob("page*.png"))
    if kind == "svg":
        subprocess.run(["rsvg-convert", "-z", "3", "-b", "white", "-o", folder / "drawn.png", path], check=True)
        pictures = [folder / "drawn.png"]
    done = subprocess.run(["zbarimg", "--quiet", "--raw", *pictures], capture_output=True, text=True)
    return sorted(set(done.stdout.split()))


@pytest.fixture(scope="module")
def passport(story):
    anyone = story.farm.client("")
    anyone.token = None
    answer = anyone.get("/v1/lots/TOM-1A/passport", since=story.earlier.size)
    return answer, anyone.get("/ledger/keys")


def test_a_stranger_can_check_the_whole_passport(story, passport):
    answer, keys = passport
    event, checkpoint = verify_passport(answer, keys, story.earlier)
    told = event["data"]["passport"]
    print(f"leaf {answer['index']} of {answer['size']}, {len(answer['proof'])} steps; "
          f"grown from {story.earlier.size} in {len(answer['consistency'])}; {checkpoint.signatures} signatures")
    assert checkpoint.size > story.earlier.size
    assert (told["lot"], told["product"], told["parent"]) == ("TOM-1A", "Tomatoes Matina", "TOM-1")
    assert [a["kind"] for a in told["activities"]] == ["sowing", "fertilising", "plant-protection", "weeding"]
    assert told["activities"][1]["correctedTo"]["details"]["amount"] == 30
    assert [step["what"] for step in told["custody"]] == ["harvested", "stored", "split", "packed"], told["custody"]
    field = next(line for line in told["readings"] if line["role"] == "field" and line["quantity"] == "temperature")
    assert (field["min"], field["max"]) == (18.25, 21.75)
    stored = [event_ for event_ in story.farm.replay() if event_["id"] == event["id"]]
    assert stored == [event]


def test_the_latest_change_of_a_quiet_farm_gets_a_proof(story):
    """Each change is followed only by the scan of a label, as on a farm in the evening."""
    waited = []
    for number in range(3):
        lot = f"EVENING-{number}"
        story.client.make("POST", "/v1/lots", {"lot": lot, "product": "Leeks", "plot": "p2", "grams": 1000})
        began = time.monotonic()
        event, _ = verify_passport(story.client.get(f"/v1/lots/{lot}/passport"), story.client.get("/ledger/keys"))
        waited.append(time.monotonic() - began)
        assert event["data"]["passport"]["lot"] == lot
    print(f"{len(waited)} passports of a quiet farm, the slowest after {max(waited):.2f} s")
    assert max(waited) <= 3


def test_a_changed_byte_anywhere_in_a_passport_is_detected(passport):
    answer, keys = passport
    event = bytearray(base64.b64decode(answer["bytes"]))
    noticed = 0
    for place in range(0, len(event), max(1, len(event) // 200)):
        event[place] ^= 1
        forged = answer | {"bytes": base64.b64encode(event).decode()}
        with pytest.raises(AssertionError):
            verify_passport(forged, keys)
        event[place] ^= 1
        noticed += 1
    print(f"{noticed} changed bytes noticed")
    assert noticed >= 100


def test_the_tiles_give_the_signed_root(story):
    client = story.client
    checkpoint = verify_checkpoint(client.call("GET", "/ledger/checkpoint").body.decode(), client.get("/ledger/keys"))
    leaves: list[bytes] = []
    for index in range(-(-checkpoint.size // 256)):
        width = min(256, checkpoint.size - 256 * index)
        path = f"/ledger/tile/0/{index:03}" + ("" if width == 256 else f".p/{width}")
        answer = client.call("GET", path)
        assert answer.status == 200 and len(answer.body) == 32 * width, f"{path}: {answer.status} {len(answer.body)}"
        leaves += [answer.body[at:at + 32] for at in range(0, len(answer.body), 32)]
    print(f"{len(leaves)} leaves")
    assert len(leaves) >= 30 and root_of(leaves) == checkpoint.root


def root_of(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01", root_of(leaves[:split]), root_of(leaves[split:]))


def test_the_label_leads_to_the_story_page(story):
    for url in (story.told["labels"]["labels"][0]["url"], story.told["labels"]["labels"][-1]["url"].lower()):
        page = story.client.call("GET", "/" + url.split("/", 3)[3])
        assert page.status == 200 and page.headers["content-type"].startswith("text/html"), page
        assert "default-src" in page.headers["content-security-policy"]


def test_deleted_views_are_rebuilt_equal(story):
    farm = story.farm
    before = {(view["service"], view["view"]): view for view in farm.audited()["views"]}
    farm.stop()
    wiped = farm.wipe_views()
    farm.start()
    after = {(view["service"], view["view"]): view for view in farm.audited()["views"]}
    assert before.keys() == after.keys()
    different = {name: (view, after[name]) for name, view in before.items() if view["live"] != after[name]["live"]}
    print(f"{wiped} places wiped, {len(after)} tables, {len(after) - len(different)} the same")
    assert wiped >= 3 and len(after) >= 20 and not different
