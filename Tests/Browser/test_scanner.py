"""The reader of codes: photographs, every size of QR code, the camera, forged labels; without a network."""

import base64
import io
import random
import subprocess

import pytest
import segno
from client import until
from conftest import DESKTOP, PHONE
from nightly import NIGHTLY
from photographs import NORMAL, POOR, ean, photograph, qr, with_check_digit
from PIL import Image
from radio_farm import ADMINISTRATOR, RadioFarm
from signed_log import FarmLog
from staff_driver import StaffPages
from story_driver import StoryPage
from test_accessibility import look

BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
READ = """async (pictures) => {
    const { CodeReader } = await import("/assets/js/scan/photograph.js");
    const reader = new CodeReader();
    const found = [];
    for (const picture of pictures) {
        const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const began = performance.now();
        const text = await reader.readPhotograph(bitmap);
        found.push([text, performance.now() - began]);
    }
    return found;
}"""


@pytest.fixture
def page(gateway, new_phone):
    page = new_phone(service_workers="block").new_page()
    page.goto(gateway.url + "/assets/story.html")
    return page


def label(chance: random.Random) -> str:
    code = "".join(chance.choice(BASE32) for _ in range(103))
    return f"https://farm.example/S1FK01{code}/01/08412345678905/10/L{chance.randrange(9999)}/21/B{chance.randrange(99)}"


def taken(count: int, seed: int) -> list[tuple[str, bytes]]:
    """Photographs with what is on them: labels, codes of things, bar codes; every other one is poor."""
    chance = random.Random(seed)
    pictures = []
    for number in range(count):
        conditions = POOR if number % 2 else NORMAL
        kind = number // 2 % 4
        if kind == 3:
            text = with_check_digit("".join(chance.choice("0123456789") for _ in range(chance.choice((12, 12, 7)))))
            code, modules = ean(text), 117 if len(text) == 13 else 89
        else:
            text = [label(chance), f"T-{chance.randrange(99_999)}",
                    f"https://example.org/items/{chance.randrange(1 << 40):x}"][kind]
            error = chance.choice("LMQ")
            code, modules = qr(text, error), segno.make(
                text, error=error, boost_error=False, micro=False).symbol_size(border=4)[0]
        pictures.append((text, photograph(code, modules, conditions, chance)))
    return pictures


@pytest.mark.shared
def test_codes_on_normal_and_poor_photographs_are_read(page, tmp_path):
    pictures = taken(200 if NIGHTLY else 40, seed=2026)
    found = page.evaluate(READ, [base64.b64encode(data).decode() for _, data in pictures])
    right = [text == read for (text, _), (read, _) in zip(pictures, found, strict=True)]
    wrong = [read for (text, _), (read, _) in zip(pictures, found, strict=True) if read not in (text, None)]
    times = sorted(milliseconds for _, milliseconds in found)
    median, late = times[len(times) // 2], times[len(times) * 19 // 20]
    # Another program's reader on the same photographs.
    peer = 0
    for number, (text, data) in enumerate(pictures):
        (tmp_path / f"{number}.jpg").write_bytes(data)
        done = subprocess.run(["zbarimg", "-q", "--raw", tmp_path / f"{number}.jpg"], capture_output=True, check=False)
        peer += text in done.stdout.decode(errors="replace").splitlines()
    print(f"photographs: {sum(right)} of {len(right)} read ({sum(right[::2])} normal, {sum(right[1::2])} poor), "
          f"{len(wrong)} wrong; median {median:.0f} ms, 95 % {late:.0f} ms; ZBar reads {peer}")
    assert wrong == [] and sum(right) >= 0.98 * len(right) - 1 and median <= 300


@pytest.mark.shared
def test_every_size_level_and_kind_of_text_of_a_qr_code_is_read(page):
    cases = [("点茗", {"mode": "kanji"}), ("café", {"encoding": "iso-8859-1"}), ("€ 5", {"encoding": "utf-8", "eci": True}),
             ("x" * 2000, {}), ("9" * 5000, {})]
    versions = range(1, 41, 1 if NIGHTLY else 3)
    cases += [(text, {"version": version, "error": error, "mask": (version + ord(error)) % 8, "boost_error": False})
              for version in versions for error in "LMQH" for text in ("12345", "ABC-9", "bü")]
    symbols = []
    for text, options in cases:
        symbol = segno.make(text, **({"micro": False} | options if "version" not in options else options))
        rows = ["".join(str(int(module)) for module in row) for row in symbol.matrix]
        symbols.append({"size": len(rows), "modules": "".join(rows)})
    read = """async (symbols) => {
        const { read } = await import("/assets/js/scan/symbol.js");
        return symbols.map(({ size, modules }) => read({ size, dark: Uint8Array.from(modules, Number) }));
    }"""
    found = page.evaluate(read, symbols)
    assert found == [text for text, _ in cases]
    # Damaged modules are corrected up to the limit of the level; beyond it nothing else is read.
    symbol = segno.make("12345", version=5, error="H", boost_error=False)
    intact = ["".join(str(int(module)) for module in row) for row in symbol.matrix]
    results = []
    for count in (0, 4, 60):
        rows = [list(row) for row in intact]
        for number in range(count):
            row, column = 12 + number // 12, 12 + number % 12
            rows[row][column] = "10"[int(rows[row][column])]
        results += page.evaluate(read, [{"size": 37, "modules": "".join(map("".join, rows))}])
    assert results[:2] == ["12345", "12345"] and results[2] in ("12345", None)
    print(f"symbols read: {len(found)} of {len(versions)} versions, 4 levels, 8 masks")
    assert len(found) == 5 + len(versions) * 12 >= 173


@pytest.mark.shared
def test_ten_thousand_forged_addresses_lead_to_no_story(page):
    """What is scanned is an address only: the label's signature decides, by the keys that the phone knows."""
    log = FarmLog()
    chance = random.Random(7)
    good = log.label_key.path("08412345678905", "L1", None)
    code = good.split("/")[1].removeprefix("S1FK01")
    forged = []
    for number in range(10_000):
        changed = list(code)
        changed[chance.randrange(100)] = chance.choice(BASE32)
        lot = f"M{number}" if "".join(changed) == code else "L1"
        forged.append(f"https://farm.example/S1FK01{''.join(changed)}/01/08412345678905/10/{lot}")
    verdicts = page.evaluate("""async ({ texts, keys }) => {
        const { targetOf } = await import("/assets/js/scan/target.js");
        const { readLabel, verifyLabel } = await import("/assets/js/verify/label.js");
        const { readKeys } = await import("/assets/js/verify/keys.js");
        const ring = readKeys(keys);
        const verdicts = {};
        for (const text of texts) {
            const { kind, path } = targetOf(text, "https://farm.example");
            let verdict = kind;
            try {
                if (kind === "story") await verifyLabel(readLabel(path), ring);
            } catch (refusal) {
                verdict = refusal.code;
            }
            verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
        }
        return verdicts;
    }""", {"texts": [*forged, f"https://farm.example{good}"], "keys": log.keys()})
    print(f"forged addresses: {verdicts}")
    assert verdicts == {"label-forged": 10_000, "story": 1}
    targets = page.evaluate("""async (texts) => {
        const { targetOf } = await import("/assets/js/scan/target.js");
        return texts.map((text) => targetOf(text, "https://farm.example").kind);
    }""", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://other.example/x", "4006381333931",
           "4006381333932", "WIFI:S:x;;", "",
          "https://farm.example/01/08412345678905/10/%E0%A4%A"])
    assert targets == ["text", "text", "text", "page", "number", "text", "text", "text", "page"]


@pytest.fixture
def camera(playwright, launch, tmp_path):
    """Makes phones whose camera sees one picture, as a film of some seconds that is repeated."""
    browsers = []

    def make(picture: bytes, **options):
        frame = Image.new("RGB", (640, 480), "#777")
        code = Image.open(io.BytesIO(picture)).convert("RGB")
        code.thumbnail((440, 440))
        frame.paste(code, ((640 - code.width) // 2, (480 - code.height) // 2))
        out = io.BytesIO()
        frame.save(out, "JPEG", quality=90)
        film = tmp_path / f"{len(browsers)}.mjpeg"
        film.write_bytes(out.getvalue() * 30)
        browser = playwright.chromium.launch(**launch | {"args": [
            *launch["args"], "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={film}"]})
        browsers.append(browser)
        return browser.new_context(**({"viewport": PHONE} | options))

    yield make
    for browser in browsers:
        browser.close()


def png(text: str) -> bytes:
    out = io.BytesIO()
    segno.make(text, error="M", micro=False).save(out, kind="png", scale=8, border=4)
    return out.getvalue()


@pytest.mark.home("market")
def test_the_camera_leads_from_a_box_to_its_verified_story_and_a_forged_label_is_refused(gateway, camera, pictures):
    address = gateway.labelled("L-SCAN", "tomatoes")
    phone = StoryPage(camera(png(address), permissions=["camera"]))
    phone.page.goto(gateway.url)
    phone.page.get_by_role("button", name="Scan a code").click()
    phone.page.wait_for_url("**/S1*/01/**", timeout=30_000)
    verdict = phone.verdict()
    assert verdict.tone == "good", verdict
    head, rest = address.split("/S1")
    code, tail = rest[:107], rest[107:]
    forged = f"{head}/S1{code[:20]}{'A' if code[20] != 'A' else 'B'}{code[21:]}{tail}"
    other = StoryPage(camera(png(forged), permissions=["camera"]))
    other.page.goto(gateway.url)
    other.page.get_by_role("button", name="Scan a code").click()
    other.page.wait_for_url("**/S1*/01/**", timeout=30_000)
    refused = other.verdict()
    print(f"scanned: {verdict.title!r}; forged: {refused.title!r}")
    assert refused.tone != "good" and other.story_text() == ""
    assert phone.problems == [] and other.problems == []


@pytest.mark.home("market")
def test_without_a_camera_a_picture_or_typing_serves_also_without_a_network(gateway, new_phone, tmp_path, pictures):
    (tmp_path / "other.png").write_bytes(png("https://other-farm.example/01/08412345678905/10/L1"))
    (tmp_path / "page.png").write_bytes(png("https://example.org/menu"))
    Image.new("L", (40, 30), 90).save(tmp_path / "none.png")
    phone = StoryPage(new_phone(viewport=PHONE))
    page = phone.page
    page.goto(gateway.url)
    phone.wait_for_worker()
    page.reload()
    page.wait_for_selector("main .scan")
    gateway.stop()
    page.get_by_role("button", name="Scan a code").click()
    dialog = page.locator("dialog")
    dialog.get_by_text("Take a picture of the code, or type it.").wait_for()
    look(page, "scanner", "phone", "light", pictures)
    chosen = dialog.locator("input[type=file]")
    for name, text in (("other", "This label names other-farm.example."), ("page", "This is not a label of a farm."),
                       ("none", "There is no code in this picture that can be read.")):
        chosen.set_input_files(tmp_path / f"{name}.png")
        dialog.get_by_text(text).wait_for(timeout=20_000)
    dialog.get_by_label("Or type what is printed below it").fill("4006381333931")
    dialog.get_by_role("button", name="Use this").click()
    dialog.get_by_text("Nothing in this shop has the number 4006381333931.").wait_for()
    page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
    look(page, "scanner", "desk", "dark", pictures)
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")
    assert phone.problems == []
    gateway.start()


# A camera that fails when the test says so.
SLOW_CAMERA = """navigator.mediaDevices.getUserMedia = () => new Promise((_, reject) => {
    window.refuseCamera = () => reject(new DOMException("", "NotFoundError"));
});"""


@pytest.mark.home("market")
def test_a_camera_that_fails_after_a_code_was_typed_does_not_hide_what_became_of_the_code(gateway, new_phone):
    page = new_phone(viewport=PHONE, service_workers="block").new_page()
    page.add_init_script(SLOW_CAMERA)
    page.goto(gateway.url)
    page.get_by_role("button", name="Scan a code").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Or type what is printed below it").fill("4006381333931")
    dialog.get_by_role("button", name="Use this").click()
    outcome = dialog.get_by_text("Nothing in this shop has the number 4006381333931.")
    outcome.wait_for()
    until(lambda: page.evaluate("typeof window.refuseCamera === 'function'"), 10, "the page to ask for the camera")
    # When the camera fails
    page.evaluate("window.refuseCamera()")
    # Then both are shown
    dialog.get_by_text("There is no camera here that can be used.").wait_for()
    assert outcome.is_visible()


def test_a_stocktake_counts_what_the_camera_reads_and_a_form_takes_a_code(camera, tmp_path, pictures):
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        farm.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
        staff = StaffPages(camera(png("T-77"), permissions=["camera"]), farm.url)
        staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        page = staff.page
        staff.go("/inventories/tools")
        form = staff.fill("set-item", title="Chainsaw")
        form.get_by_role("button", name="Scan").click()
        until(lambda: form.locator("[name=code]").input_value() == "T-77", 30, "the code in the form")
        page.wait_for_selector("dialog", state="detached")
        staff.send("set-item")
        page.locator("[data-form=start-stocktake] button[type=submit]").click()
        page.wait_for_selector("#tally :text('0 of 1')")
        page.get_by_role("button", name="Scan codes").click()
        page.locator("dialog").get_by_text("Chainsaw: counted.").wait_for(timeout=30_000)
        look(page, "stocktake-scanner", "phone", "light", pictures)
        # What the farm refuses is said, and the dialog goes on.
        dialog = page.locator("dialog")
        page.route("**/sightings", lambda route: route.fulfill(
            status=409, content_type="application/problem+json",
            body='{"title":"refused","status":409,"detail":"This count is refused."}'))
        dialog.get_by_label("Or type what is printed below it").fill("t-77")
        dialog.get_by_role("button", name="Use this").click()
        dialog.get_by_text("This count is refused.").wait_for()
        page.unroute("**/sightings")
        dialog.get_by_role("button", name="Close").click()
        page.wait_for_selector("#tally :text('1 of 1')")
        stocktake = page.url.rsplit("/", 1)[1]
        found = farm.client.get(f"/v1/stocktakes/{stocktake}")
        (line,) = farm.client.items(f"/v1/stocktakes/{stocktake}/lines")
        # It stayed in the picture and counts once, although a machine that stalls for seconds reads it again.
        assert found["sightings"] >= 1 and '"how":["camera"]' in str(line)
        print(f"counted with the camera: {found['found']} item, {found['sightings']} sighting")
        assert staff.problems == []
    finally:
        farm.destroy()
