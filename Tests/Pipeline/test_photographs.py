"""Photographs of plots and stores: from a camera's post to small copies, without the place where they were taken."""

import hashlib
import io
import os
import random
import struct
import zlib

import pytest
from client import Client, until
from PIL import Image, ImageDraw
from verify import verify_passport

GPS, ORIENTATION = 0x8825, 0x0112


def creek(own_farm):
    """Returns a farm with a plot and a store; `staff` is its administrator."""
    farm = own_farm().start()
    staff = farm.claim()
    staff.make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "UTC"})
    staff.make("POST", "/v1/plots", {"farm": "creek", "plot": "south", "title": "South"})
    staff.make("POST", "/v1/stores", {"farm": "creek", "store": "cold", "title": "Cold store"})
    farm.staff = staff
    return farm


@pytest.fixture
def farm(own_farm):
    return creek(own_farm)


def jpeg(width: int = 1600, height: int = 1200, seed: int = 1, orientation: int = 1) -> bytes:
    """A photograph as a phone takes it: red on the left, blue on the right, with noise, and where it was taken."""
    chance = random.Random(seed)
    image = Image.new("RGB", (width, height), (200, 30, 30))
    pen = ImageDraw.Draw(image)
    pen.rectangle((width // 2, 0, width, height), fill=(30, 30, 200))
    for _ in range(200):
        x, y = chance.randrange(width), chance.randrange(height)
        pen.ellipse((x, y, x + 9, y + 9), fill=(chance.randrange(256), 120, 90))
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif[0x010F] = "Camera maker"
    exif.get_ifd(GPS)[2] = (47.0, 12.0, 33.0)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80, exif=exif)
    return out.getvalue()


def noisy(width: int, height: int) -> bytes:
    """A photograph of a large sensor, with its noise and its place."""
    image = Image.effect_noise((width, height), 60).convert("RGB")
    exif = Image.Exif()
    exif.get_ifd(GPS)[2] = (47.0, 12.0, 33.0)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85, exif=exif)
    return out.getvalue()


def file(client: Client, name: str) -> bytes:
    answer = client.call("GET", f"/media/{name}")
    assert answer.status == 200 and hashlib.sha256(answer.body).hexdigest() == name
    return answer.body


def listed(client: Client, place: str = "plot/south") -> list[dict]:
    return client.get("/v1/photographs", place=place)["items"]


def send(client: Client, picture: bytes, place: str = "plot/south", **query):
    return client.call("POST", "/v1/photographs", picture, query={"place": place} | query)


@pytest.mark.parametrize(("orientation", "left"), [(1, "red"), (3, "blue"), (6, None)])
def test_a_camera_s_photograph_is_listed_with_small_copies_and_without_its_place(farm, orientation, left):
    token = farm.staff.make("POST", "/v1/gateways", {"gateway": "field-1"})["token"]
    taken = jpeg(2400, 1600, orientation=orientation)
    assert b"Camera maker" in taken
    camera = Client(farm.port)
    answer = camera.call("POST", f"/v1/photographs/{token}", taken, query={"place": "plot/south"})
    assert answer.status == 201, answer.json
    (one,) = listed(farm.staff)
    assert one["photograph"] == answer.json["photograph"] and one["camera"] == "field-1"
    (gateway,) = farm.staff.items("/v1/gateways")
    assert "lastSeen" in gateway and gateway["messages"] == 1, "the page Sensors says that the camera works"

    picture = Image.open(io.BytesIO(file(camera, one["picture"])))
    assert picture.size == (2400, 1600) and not picture.getexif().get_ifd(GPS)
    assert b"Camera maker" not in file(camera, one["picture"])
    expected = (1024, 682) if orientation != 6 else (682, 1024)
    assert (one["width"], one["height"]) == expected
    for name, side, most in [("thumbnail", 320, 30_000), ("preview", 1024, 200_000)]:
        body = file(camera, one[name])
        copy = Image.open(io.BytesIO(body))
        assert copy.format == "WEBP" and max(copy.size) == side and len(body) <= most, (name, copy.size, len(body))
        assert (copy.width > copy.height) == (orientation != 6)
        at_left = copy.convert("RGB").getpixel((copy.width // 10, copy.height // 2))
        at_top = copy.convert("RGB").getpixel((copy.width // 2, copy.height // 10))
        assert isinstance(at_left, tuple) and isinstance(at_top, tuple)
        is_red = at_left[0] > at_left[2] if left else at_top[0] > at_top[2]
        assert is_red == (left != "blue"), f"{name} is turned wrongly: {at_left}, {at_top}"
        print(f"photograph: {len(taken)} bytes, {name} of {len(body)} bytes")


def test_a_picture_that_is_sent_again_is_one_photograph_of_each_place(farm):
    picture = jpeg()
    first = send(farm.staff, picture).json["photograph"]
    assert send(farm.staff, picture).json["photograph"] == first
    (gateway,) = [origin for origin in farm.services if origin.startswith("sync-gateway")]
    farm.kill(gateway)
    until(lambda: farm.ready(gateway), 60, "the gateway after the kill")
    staff = farm.client()
    assert send(staff, picture).json["photograph"] == first
    assert send(staff, picture, "store/cold").json["photograph"] != first
    assert [len(listed(staff, place)) for place in ("plot/south", "store/cold")] == [1, 1]


def test_photographs_are_listed_by_time_page_by_page_and_removed(farm):
    for number in range(65):
        at = f"2026-05-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00Z"
        assert send(farm.staff, jpeg(60, 40, seed=number), at=at).status == 201
    page = farm.staff.get("/v1/photographs", place="plot/south")
    rest = farm.staff.get("/v1/photographs", place="plot/south", after=page["next"])
    items = page["items"] + rest["items"]
    assert len(items) == 65 and "next" not in rest
    assert [one["taken"] for one in items] == sorted((one["taken"] for one in items), reverse=True)
    farm.staff.make("POST", f"/v1/photographs/{items[0]['photograph']}/removal", {"reason": "A person is in it"})
    assert listed(farm.staff)[0] == items[1]
    future = send(farm.staff, jpeg(), at="2126-01-01T00:00:00Z")
    assert future.status == 422 and future.json["type"].endswith("in-the-future")


def test_the_files_of_a_removed_photograph_are_deleted_unless_something_else_shows_them(farm):
    """The bytes are gone from the disk, but not those that a plot or product still shows, also after a restart."""
    (gateway,) = [origin for origin in farm.services if origin.startswith("sync-gateway")]
    folder = next(farm.home.glob("**/media"))
    staff = farm.staff
    shared, removed, young, product = (jpeg(400, 300, seed=seed) for seed in range(1, 5))
    photographs = [send(staff, picture).json["photograph"] for picture in (shared, removed, product)]
    send(staff, shared, "store/cold")
    kept = staff.call("POST", "/v1/media", product).json
    staff.make("POST", "/v1/products", {
        "product": "plums", "farm": "creek", "title": "Plums", "unit": "kg", "picture": kept["sha256"],
        "thumbnail": kept["thumbnail"]})
    files = {one["photograph"]: {one["picture"], one["preview"], one["thumbnail"]} for one in listed(staff)}
    for file in folder.iterdir():
        os.utime(file, (1_700_000_000, 1_700_000_000))
    last = send(staff, young).json["photograph"]
    files[last] = next({one["picture"], one["preview"], one["thumbnail"]}
                       for one in listed(staff) if one["photograph"] == last)
    for one in [*photographs, last]:
        staff.make("POST", f"/v1/photographs/{one}/removal", {})
    gone = files[photographs[1]] | files[photographs[2]] - {kept["sha256"], kept["thumbnail"]}
    until(lambda: not any((folder / name).exists() for name in gone), 60, "deleted files")
    farm.kill(gateway)
    until(lambda: farm.ready(gateway), 60, "the gateway after the kill")
    staying = files[photographs[0]] | {kept["sha256"], kept["thumbnail"]}
    assert len(gone) >= 4 and all((folder / name).exists() for name in staying)
    assert all((folder / name).exists() for name in files[last]), "a file of this day may be in an open form"
    assert Client(farm.port).call("GET", f"/media/{next(iter(gone))}").status == 404
    print(f"photographs: {len(gone)} files deleted, {len(staying)} stay")


def test_a_large_photograph_of_a_camera_is_stored_smaller(farm):
    taken = noisy(4000, 3000)
    assert len(taken) > 3 << 20
    assert send(farm.staff, taken).status == 201
    (one,) = listed(farm.staff)
    stored = file(farm.staff, one["picture"])
    picture = Image.open(io.BytesIO(stored))
    assert (picture.format, picture.size) == ("WEBP", (2048, 1536)) and len(stored) < len(taken) / 3
    assert len(file(farm.staff, one["thumbnail"])) <= 30_000
    assert farm.staff.call("POST", "/v1/media", bytes(600_000)).status == 413, "another route takes no such body"
    print(f"photographs: {len(taken)} bytes were stored as {len(stored)}")


def test_a_picture_of_a_product_has_a_small_copy_which_the_catalogue_names(farm):
    kept = farm.staff.call("POST", "/v1/media", jpeg(1600, 1200, orientation=6)).json
    copy = Image.open(io.BytesIO(file(Client(farm.port), kept["thumbnail"])))
    assert (copy.format, copy.size) == ("WEBP", (240, 320))
    assert len(file(Client(farm.port), kept["thumbnail"])) <= 30_000
    body = {"picture": kept["sha256"], "thumbnail": kept["thumbnail"]}
    farm.staff.make("POST", "/v1/products", {
        "product": "plums", "farm": "creek", "title": "Plums", "unit": "kg"} | body)
    farm.staff.make("PUT", "/v1/directory/creek", {"hasGoods": True} | body)
    public = Client(farm.port)
    for shown in (public.get("/v1/products/plums"), public.get("/v1/directory/creek")):
        assert {name: shown[name] for name in body} == body
    records = public.get("/v1/sync")["changes"]
    for table, one in (("products", "plums"), ("farms", "creek")):
        (record,) = [row for row in records[table]["created"] if row["id"] == one]
        assert {name: record[name] for name in body} == body


def test_a_story_shows_a_chosen_photograph_of_its_plot(farm):
    staff = farm.staff
    staff.make("POST", "/v1/plots/south/activities", {"kind": "sowing", "happened": "2026-04-01T08:00:00Z"})
    chosen = send(staff, jpeg(), at="2026-05-03T09:00:00Z").json["photograph"]
    send(staff, jpeg(seed=2), at="2026-05-04T09:00:00Z")
    staff.make("POST", "/v1/lots", {
        "lot": "P-1", "plot": "south", "product": "Plums", "grams": 5000, "gtin": "04012345678901"})
    staff.make("PUT", f"/v1/photographs/{chosen}/story", {"isShown": True})
    assert [one["isShown"] for one in listed(staff)] == [False, True]
    event, _ = verify_passport(
        staff.get("/v1/lots/P-1/passport", gtin="04012345678901"), staff.get("/ledger/keys"))
    (shown,) = event["data"]["passport"]["photographs"]
    assert shown["place"] == "South" and shown["taken"] == "2026-05-03T09:00:00.000000Z"
    file(Client(farm.port), shown["thumbnail"])


def test_pictures_that_are_damaged_hostile_or_of_strangers_are_refused(farm):
    picture = jpeg()
    refused = {
        "cut off": send(farm.staff, picture[:len(picture) // 2]),
        "no picture": send(farm.staff, b"BM" + bytes(200)),
        "a film": send(farm.staff, b"GIF89a" + bytes(200)),
        "a bomb": send(farm.staff, bomb(60_000, 60_000)),
        "too large": send(farm.staff, bytes(13 << 20)),
        "nowhere": send(farm.staff, picture, "plot/north"),
        "no place": farm.staff.call("POST", "/v1/photographs", picture),
        "a stranger": send(Client(farm.port), picture),
        "a wrong token": Client(farm.port).call("POST", "/v1/photographs/abc", picture, query={"place": "plot/south"}),
    }
    statuses = {name: answer.status for name, answer in refused.items()}
    assert statuses == {
        "cut off": 422, "no picture": 422, "a film": 422, "a bomb": 422, "too large": 413, "nowhere": 404,
        "no place": 400, "a stranger": 401, "a wrong token": 401}, statuses
    assert "too many pixels" in refused["a bomb"].json["detail"]
    assert listed(farm.staff) == []
    print(f"photographs: {len(refused)} refused")


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims billions of pixels."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000)))
            + chunk(b"IEND", b""))
