"""The report of a stocktake as PDF: 1,000 items with pictures, read by other programs."""

import subprocess
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from client import Client

ITEMS = 1000


def photographs(client: Client, folder) -> list[bytes]:
    """JPEG files and a PNG of the size that the pages send: pages of a report, as another program draws them."""
    client.make("PUT", "/v1/inventories/signs", {"title": "Signs"})
    for number in range(60):
        client.make("PUT", f"/v1/items/sign-{number}", {"inventory": "signs", "title": f"Sign {number} " * 4})
    client.make("POST", "/v1/inventories/signs/stocktakes", {"stocktake": "signs", "title": "Signs"})
    (folder / "signs.pdf").write_bytes(pdf(client, "signs"))
    draw = ["pdftoppm", "-scale-to", "480", folder / "signs.pdf"]
    subprocess.run([*draw[:1], "-jpeg", *draw[1:], folder / "photo"], check=True)
    subprocess.run([*draw[:1], "-png", "-l", "1", *draw[1:], folder / "photo"], check=True)
    files = sorted(folder.glob("photo*"))
    assert {file.suffix for file in files} == {".jpg", ".png"} and len(files) >= 3
    return [file.read_bytes() for file in files]


def upload(client: Client, content: bytes) -> str:
    answer = client.call("POST", "/v1/media", content)
    assert answer.status == 201, answer
    assert (sha := answer.json["sha256"])
    return sha


def pdf(client: Client, stocktake: str) -> bytes:
    answer = client.call("GET", f"/v1/stocktakes/{stocktake}/report.pdf")
    assert answer.status == 200 and answer.headers["content-type"] == "application/pdf", answer
    return answer.body


def test_a_report_of_a_thousand_items_with_pictures_is_a_pdf_that_others_read(own_farm, tmp_path):
    farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Asia/Kolkata"})
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "shed", "title": "Shed behind the barn"})
    client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
    shas = [upload(client, content) for content in photographs(client, tmp_path)]
    for number in range(ITEMS):
        client.make("PUT", f"/v1/items/i{number:04}", {
            "inventory": "tools", "title": f"Säge {number} ✓", "code": f"c{number}",
            "place": "store/shed", "picture": shas[number % len(shas)], "value": {"minor": 1050, "currency": "EUR"}})
    client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "autumn", "title": "Autumn 2026"})
    at = datetime.now(UTC).isoformat()
    for start in range(0, ITEMS - 3, 300):
        client.make("POST", "/v1/stocktakes/autumn/sightings", {"sightings": [
            {"thing": f"code/c{number}", "at": at, "how": "typed"}
            for number in range(start, min(start + 300, ITEMS - 3))]})
    assert "Not finished" in text(pdf(client, "autumn"), tmp_path)
    done = client.make("POST", "/v1/stocktakes/autumn/finish", {"accept": True})

    began = time.monotonic()
    content = pdf(client, "autumn")
    seconds = time.monotonic() - began
    words = text(content, tmp_path)
    assert f"{ITEMS - 3} of {ITEMS} items found, 3 missing, 0 unexpected" in words
    assert "Value of what was found: 10468.50 EUR" in words and "31.50 EUR" in words
    finished = datetime.fromisoformat(client.get("/v1/stocktakes/autumn")["finished"])
    local = finished.astimezone(ZoneInfo("Asia/Kolkata"))
    assert f"Finished {local:%Y-%m-%d %H:%M}. Times of Asia/Kolkata." in words.replace("\n", " ")
    assert done["digest"] in words.replace("\n", "")
    assert [f"Säge {number} ✓" in words for number in range(ITEMS)].count(True) == ITEMS
    assert "Shed behind the barn" in words and "store/shed" not in words
    # Another program draws the pictures, in the column at the left of the second page.
    images = subprocess.run(["pdfimages", "-list", tmp_path / "report.pdf"], capture_output=True, text=True, check=True)
    drawn = [line for line in images.stdout.splitlines() if " image " in line]
    page = subprocess.run(["pdftoppm", "-r", "60", "-gray", "-f", "2", "-l", "2", "-x", "30", "-y", "60", "-W", "50",
                           "-H", "500", tmp_path / "report.pdf"], capture_output=True, check=True).stdout
    shades = len(set(page[-25_000:]))
    print(f"report of {ITEMS} items with pictures: {seconds:.1f} s, {len(content) / 1e6:.1f} MB, {len(drawn)} pictures; "
          f"{shades} shades in a column of them")
    assert len(drawn) == ITEMS and shades > 50
    assert len(content) <= 60_000_000
    assert client.call("GET", "/v1/stocktakes/none/report.pdf").status == 404
    assert farm.client("no-such-token").call("GET", "/v1/stocktakes/autumn/report.pdf").status == 401


def text(content: bytes, folder) -> str:
    (folder / "report.pdf").write_bytes(content)
    done = subprocess.run(["pdftotext", "-layout", folder / "report.pdf", "-"], capture_output=True, check=True)
    return done.stdout.decode()
