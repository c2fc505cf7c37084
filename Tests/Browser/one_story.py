"""One box of tomatoes from the radio in the field to the letter about its recall: grower and buyer use their pages."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import DESKTOP
from fault_proxy import Proxy
from loma_market import picture
from mail_sink import MailSink
from radio_farm import ADMINISTRATOR, RadioFarm, until
from shop_driver import PASSWORD, Shop
from staff_driver import StaffPages
from story_driver import StoryPage, wait_until

LOT, OTHER_LOT = "T-1", "K-1"
BEA, CID, DAN = "bea@buyers.test", "cid@buyers.test", "dan@buyers.test"
REASON = "Glass splinters in one box"
BOXES, WANTED = 10, 2
TEMPERATURES = [18.25, 18.5, 19.0, 21.75]
ORDERS = "farm.furrow.orders."
#: Tables of which every device of a buyer holds the same.
SHARED = ["farms", "products", "offers", "pickups", "lots", "orders", "favourites"]

#: Whether what stands in the middle of an element is a part of it: nothing covers it or cuts it off.
IN_SIGHT = """selector => {
    const one = document.querySelector(selector);
    const { left, top, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


class OneStory:
    """The steps, to be taken in order. `seen` is everything that was checked, in words."""

    def __init__(self, farm: RadioFarm, mail: MailSink, new_phone, folder: Path, pictures: Path):
        self.farm = farm
        self.mail = mail
        #: Between the buyer's devices and the farm; closed, there is no network for them.
        self.link = Proxy(farm.server.port)
        self.new_phone = new_phone
        self.folder = folder
        self.pictures = pictures
        self.seen: list[str] = []
        self.pages: list = []
        self.field = farm.radio.node(1)
        self.staff = self.opened(StaffPages(new_phone(viewport=DESKTOP), farm.url))
        self.phone: Shop
        self.desk: Shop
        self.others: dict[str, tuple] = {}
        self.label = self.order = ""

    def opened(self, page):
        self.pages.append(page)
        return page

    def see(self, what: str, holds) -> None:
        assert holds, f"not seen: {what}"
        self.seen.append(what)

    def look(self, name: str, page) -> None:
        """A picture for people, of all of the page."""
        page.page.screenshot(path=self.pictures / f"one-story-{name}.png", full_page=True)

    def facts(self, name: str) -> list[dict]:
        """What the log says, read by the operator's command."""
        return [event for event in self.farm.server.replay() if event["type"] == name]

    # The grower

    def grow(self) -> None:
        staff, radio = self.staff, self.farm.radio
        staff.set_up(self.farm.server.run_file["setup"], ADMINISTRATOR["name"], ADMINISTRATOR["email"],
                     ADMINISTRATOR["password"])
        self.farm.server.token = self.farm.server.sign_in().token
        staff.send("create-farm", title="Horse Creek Farm", country="us", zone="UTC")
        self.see("the farm has its name", staff.heading() == "Horse Creek Farm")
        staff.go("/plots")
        staff.send("lay-out-plot", title="South terrace", crop="Tomatoes", areaSquareMetres="3400")
        staff.settle_on("/plots/south-terrace")
        staff.send("record-activity", kind="sowing", happened=local(days=30), substance="Matina", amount="0.4",
                   unit="kg")
        self.see("the sowing is written down", "Matina" in staff.text(".work"))
        assert radio.subscribed.wait(20), f"the driver subscribed to nothing: {radio.heard}"
        radio.announce(self.field)
        radio.report(self.field, temperature=TEMPERATURES[0], humidity=61.5)
        until(lambda: self.field.device in {one["device"] for one in self.farm.client.items("/v1/devices")}, 20,
              "the radio to be heard")
        staff.go("/sensors")
        staff.send("bind-point", title="Between the rows", place="plot/south-terrace", device=self.field.device)
        for value in TEMPERATURES:
            radio.report(self.field, temperature=value, humidity=61.5)
        reports = until(self.measured, 20, f"{len(TEMPERATURES)} reports of the plot in the hub")
        self.see("the log has what the radio said", reports[-len(TEMPERATURES):] == TEMPERATURES)

    def measured(self) -> list[float] | None:
        told = [{one["quantity"]: one["value"] for one in event["data"]["readings"]}
                for event in self.facts("farm.furrow.sensors.measured.v1")
                if event["data"]["device"] == self.field.device]
        return [values["temperature"] for values in told] if len(told) > len(TEMPERATURES) else None

    def harvest(self) -> None:
        staff = self.staff
        staff.go("/harvest/south-terrace")
        staff.send("harvest", product="Tomatoes", grams=BOXES * 2, lot=LOT)
        staff.settle_on(f"/lots/{LOT}")
        staff.unfold("Pack")
        staff.send("pack", boxes=BOXES, gramsEach="2")
        staff.press("print-labels")
        staff.unfold("Each label")
        self.see("every box has its label", staff.page.locator("#labels .links a", has_text="Story").count() == BOXES)
        self.label = self.scan()
        self.see("the printed code is this farm's address", self.label.lower().startswith(self.farm.url))
        scanner = self.opened(StoryPage(self.new_phone()))
        self.see("the story of the label is verified", scanner.open(self.label).tone == "good")
        told = scanner.story_text()
        for words in ("Tomatoes", "South terrace", "Matina", "Packed", LOT):
            self.see(f"the story says {words}", words in told or words in scanner.whole_text())
        figure = scanner.text('figure[data-quantity="temperature"]')
        self.see("the story says how warm it was", "18.3 °C to 21.8 °C" in figure)

    def scan(self) -> str:
        """What a scanner reads off the picture that is printed for the first box."""
        link = self.staff.page.locator("#labels .links a", has_text="PNG").first
        answer = self.staff.page.context.request.get(f"{self.farm.url}{link.get_attribute('href')}")
        assert answer.status == 200 and answer.headers["content-type"] == "image/png"
        (self.folder / "label.png").write_bytes(answer.body())
        done = subprocess.run(
            ["zbarimg", "--quiet", "--raw", self.folder / "label.png"], capture_output=True, text=True, check=True)
        (url,) = done.stdout.split()
        return url

    def offer(self) -> None:
        """The shop opens; another lot lies beside, which nobody will recall."""
        client, farm = self.farm.client, self.farm_name
        make = client.make
        plot = client.items("/v1/plots")[0]["plot"]
        make("POST", "/v1/lots", {"lot": OTHER_LOT, "product": "Leeks", "plot": plot, "grams": 8000})
        make("POST", f"/v1/lots/{OTHER_LOT}/packings", {"boxes": 8, "gramsEach": 1000})
        photo = make("POST", "/v1/media", picture(180, 60, 50))["sha256"]

        def taken(method: str, path: str, body: dict) -> None:
            until(lambda: client.settle(method, path, body).status < 300, 20, f"{method} {path} to be taken")

        taken("PUT", f"/v1/directory/{farm}", {
            "title": "Horse Creek Farm", "county": "Greene", "region": "Tennessee", "picture": photo,
            "latitude": 36.117, "longitude": -82.683, "hasGoods": True})
        taken("PUT", "/v1/pickups/gate", {"title": "Farm gate", "farm": farm})
        for product, lot, boxes, price in (("tomatoes", LOT, BOXES, 890), ("leeks", OTHER_LOT, 8, 450)):
            taken("POST", "/v1/products", {"product": product, "farm": farm, "title": product.capitalize(),
                                           "unit": "a box", "category": "vegetables", "picture": photo})
            taken("PUT", f"/v1/stock/{lot}", {"boxes": boxes})
            taken("POST", "/v1/offers", {"offer": f"{product}-now", "product": product, "lot": lot,
                                         "price": {"minor": price, "currency": "USD"}})
        until(lambda: len(changes(self.farm.anyone(), "offers")) == 2, 20, "the offers to reach the gateway")
        for name, email in (("Cid", CID), ("Dan", DAN)):
            anyone = self.farm.anyone()
            answer = anyone.settle("POST", "/v1/buyers", {"name": name, "email": email, "password": PASSWORD})
            self.others[email] = (self.farm.server.sign_in({"email": email, "password": PASSWORD}), answer.json)
        self.see("strangers see both products", len(changes(self.farm.anyone(), "products")) == 2)

    # The buyer

    def order_without_a_network(self) -> None:
        """In the cellar: cart and order; the tab is closed before there is a network again."""
        phone = self.phone = self.opened(Shop(self.new_phone(), self.link.url))
        phone.go("/directory")
        phone.page.locator(".counties a").click()
        phone.page.locator("[data-farm] a").first.click()
        phone.page.wait_for_selector('main[data-page="farm"]')
        self.see("the buyer finds the farm", "Has goods for sale" in phone.text())
        phone.sign_up("Bea", BEA)
        phone.go("/farms/" + self.farm_name).page.locator(".heart").first.click()
        phone.page.wait_for_selector('.heart[aria-pressed="true"]')
        until(lambda: phone.held()["outbox"] == [], 20, "the favourite to be sent")
        phone.go("/").ready()
        self.cut()
        for path in ("/", "/shop", "/products/tomatoes", "/farms/" + self.farm_name):
            self.see(f"{path} opens without a network", "cannot be shown" not in phone.go(path).text())
        phone.page.wait_for_selector('[data-bar="offline"]')
        phone.put_into_cart("tomatoes", WANTED)
        phone.order()
        self.see("the order says that it waits", "Not sent yet" in phone.text())
        self.look("waiting-phone", phone)
        self.see("nothing of it is in the log", len(self.placed(by=self.person(BEA))) == 0)
        phone.page.close()
        for email, offer in ((CID, "tomatoes-now"), (DAN, "leeks-now")):
            self.others[email][0].make("POST", "/v1/orders", {
                "lines": [{"offer": offer, "quantity": 1}], "pickup": "gate"})
        # The first answer is lost after the commit: it is asked again, and done once.
        self.link.lose["/v1/sync"] = 1
        before = len(self.link.passed)
        self.join()
        self.phone = phone = self.opened(phone.another_tab())
        until(lambda: orders_on(phone) >= 1 and phone.held()["outbox"] == [], 30, "the order to be sent", pause=0.4)
        sent = sum(1 for path, status in self.link.passed[before:] if path == "/v1/sync" and status == 200)
        placed = self.placed(by=self.person(BEA))
        self.see(f"sent {sent} times, the order is in the log once", len(placed) == 1 and sent >= 2)
        self.order = placed[0]["data"]["order"]
        self.see("it is what was wanted", [
            (line["product"], line["lot"], line["quantity"]) for line in placed[0]["data"]["lines"]
        ] == [("tomatoes", LOT, WANTED)])
        stock = {row["lot"]: row["free"] for row in self.farm.client.items("/v1/stock")}
        self.see("the stock is less by what was ordered", stock == {LOT: BOXES - WANTED - 1, OTHER_LOT: 7})

    @property
    def farm_name(self) -> str:
        return self.farm.client.items("/v1/farms")[0]["farm"]

    def cut(self) -> None:
        """The network is gone: nobody listens, and the browser is told so."""
        self.link.close()
        self.phone.context.set_offline(True)

    def join(self) -> None:
        self.link.open()
        self.phone.context.set_offline(False)

    def placed(self, by: str) -> list[dict]:
        return [event for event in self.facts(ORDERS + "order-placed.v1") if event["data"]["buyer"] == by]

    def person(self, email: str) -> str:
        if email in self.others:
            return self.others[email][1]["person"]
        return self.farm.server.sign_in({"email": email, "password": PASSWORD}).get("/v1/me")["person"]

    def collect(self) -> None:
        self.farm.client.make("POST", f"/v1/sales/{self.order}/collections")
        shows(self.phone, "Collected", "li[data-order]")
        self.see("the phone shows by itself that it is collected", True)
        captured = self.facts(ORDERS + "payment-captured.v1")
        self.see("it was paid in the hand", [event["data"]["amount"]["minor"] for event in captured] == [890 * WANTED])

    def suggest(self) -> None:
        phone = self.phone
        why = until(lambda: self.suggested("again").get("tomatoes"), 20, "tomatoes on the shelf of what was bought")
        phone.go("/")
        bought = '[data-shelf="again"] [data-product="tomatoes"]'
        phone.page.wait_for_selector(f"{bought} .because")
        self.see(f"the shelf says why: {why}", why in phone.text(bought))
        self.look("suggested-phone", phone)
        self.see("the reason is a sentence", why.endswith(".") and len(why.split()) >= 4)

    def suggested(self, shelf: str | None = None) -> dict[str, str]:
        """What the buyer's shelves hold, each with its reason."""
        told = self.phone.page.evaluate("fetch('/v1/shelves').then((one) => one.json())")
        return {item["product"]: item["reason"] for one in told["shelves"] if shelf in (None, one["shelf"])
                for item in one["items"]}

    def open_a_second_device(self) -> None:
        desk = self.desk = self.opened(Shop(self.new_phone(viewport=DESKTOP), self.link.url))
        desk.go("/sign-in")
        form = desk.page.locator('form[data-form="sign-in"]')
        form.locator('[name="email"]').fill(BEA)
        form.locator('[name="password"]').fill(PASSWORD)
        form.locator("button[type=submit]").click()
        desk.page.wait_for_selector('.account-name:text-is("Bea")')
        until(lambda: orders_on(desk) == 1, 20, "the order on the desk", pause=0.2)
        self.see("the desk shows the order", "Collected" in desk.text("[data-order]"))
        desk.go("/directory/favourites")
        self.see("the desk knows the favourite", desk.page.locator("[data-favourite]").count() == 1)
        there, here = records(self.phone), records(self.desk)
        for table in SHARED:
            self.see(f"both devices hold the same {table} ({len(here[table])})",
                     here[table] == there[table] and len(here[table]) >= 1)

    # The recall

    def recall(self) -> None:
        for device in (self.phone, self.desk):
            device.go("/")
        self.staff.go(f"/lots/{LOT}")
        self.staff.unfold("Recall")
        self.staff.send("recall", reason=REASON)
        self.see("the grower's page says so", REASON in self.staff.text(".alarm"))
        self.look("recalled-lot-desk", self.staff)
        for name, device in (("phone", self.phone), ("desk", self.desk)):
            shows(device, REASON, '[data-bar="recall"]')
            self.see(f"the {name} says by itself not to eat it", "Do not eat it" in device.bar())
            self.see(f"nothing on the {name} hides it", device.page.evaluate(IN_SIGHT, '[data-bar="recall"] strong'))
            self.look(f"told-{name}", device)
        self.staff.go("/lots")
        self.see("the list of lots says so", REASON in self.staff.text(f'[data-lot="{LOT}"]'))
        self.look("recalled-lots-desk", self.staff)
        told = self.facts(ORDERS + "order-recalled.v1")
        self.see("the log names exactly whoever ordered of it", sorted(
            (event["data"]["buyer"], event["data"]["isCollected"]) for event in told
        ) == sorted([(self.person(BEA), True), (self.person(CID), False)]))
        self.read_the_letters(told)

    def read_the_letters(self, told: list[dict]) -> None:
        until(lambda: len(self.mail.taken) >= 2, 30, "two letters at the mail server")
        closed = until(lambda: len(found := self.facts("farm.furrow.sync.message-sent.v1")) == 2 and found, 20,
                       "both letters to be in the log as sent")
        self.see("the log closes what it asked for", sorted(event["data"]["message"] for event in closed)
                 == sorted(event["id"] for event in told))
        self.see("nobody else is written to", sorted(one.recipient for one in self.mail.taken) == [BEA, CID])
        self.see("one was put off and came again", self.mail.offered == 3)
        self.see("no letter came in clear", all(one.is_sealed for one in self.mail.taken))
        self.see("that we were turned away once was no word about a letter", self.mail.turn_away == 0)
        for email, order, words in ((BEA, self.order, "You have taken it home"), (CID, "", "not handed out")):
            (letter,) = self.mail.to(email)
            for part in (REASON, f"Tomatoes, lot {LOT}", words, f"{self.farm.url}/orders/{order}"):
                self.see(f"the letter to {email} says {part}", part in letter.text)
            self.see("its number is that of the fact", letter.letter["Message-ID"].split("@")[0][1:] in {
                event["id"] for event in told})
            self.see("its subject says what it is about", LOT in letter.letter["Subject"])

    def live_with_the_recall(self) -> None:
        phone = self.phone
        phone.page.locator('[data-bar="recall"] a').click()
        phone.page.wait_for_selector('main[data-page="order"]')
        self.see("the order's page says not to eat it", REASON in phone.text(".alarm"))
        self.look("order-phone", phone)
        phone.page.locator('[data-bar="recall"] button').click()
        wait_until(phone.page, "document.querySelector('[data-bar=\"recall\"]') === null")
        phone.go("/orders")
        self.see("whoever knows is not told on every page", phone.page.locator('[data-bar="recall"]').count() == 0)
        self.see("the order keeps it", REASON in phone.text("[data-order]"))
        self.look("orders-phone", phone)
        phone.go("/products/tomatoes")
        self.look("product-phone", phone)
        self.see("nobody can buy it any more", phone.page.locator("[data-add]").count() == 0)
        phone.go("/products/leeks")
        self.see("the other lot is sold on", phone.page.locator("[data-add]").count() == 1)
        suggested = until(lambda: (names := self.suggested()) and "tomatoes" not in names and names, 20,
                          "the shelves without it")
        self.see("it is not suggested any more", "leeks" in suggested)
        (order,) = self.others[CID][0].items("/v1/orders")
        self.see("what waited is off", order["state"] == "cancelled")
        (order,) = self.others[DAN][0].items("/v1/orders")
        self.see("who ordered something else keeps it", order["state"] == "placed")
        scanner = self.opened(StoryPage(self.new_phone()))
        verdict = scanner.open(self.label)
        self.see("whoever scans a box reads it first", verdict.title == "Recalled: do not eat it")
        self.look("scanned-phone", scanner)
        self.see("with the reason", verdict.tone == "recalled" and REASON in verdict.words)
        self.see("and the story stands below", "South terrace" in scanner.story_text())

    def audit(self) -> None:
        found = self.farm.server.audited()
        journals, views = found["journals"], found["views"]
        self.see(f"{len(journals)} journals verify and {len(views)} tables are equal to their rebuild",
                 len(journals) >= 6 and len(views) >= 40)
        self.see("no page had an error", [problem for page in self.pages for problem in page.problems] == [])


def local(days: float) -> str:
    """As a person types it into a `datetime-local` of a farm whose zone is UTC."""
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M")


def changes(client, table: str) -> list[dict]:
    return client.get("/v1/sync")["changes"].get(table, {}).get("created", [])


def orders_on(shop: Shop) -> int:
    return shop.go("/orders").page.locator("[data-order]").count()


def shows(shop: Shop, words: str, selector: str) -> None:
    """Until the page shows it, without being loaded again."""
    shop.page.wait_for_selector(f'{selector}:has-text("{words}")', timeout=20_000)


def records(shop: Shop) -> dict[str, dict]:
    """What a device holds, by table and name; what it noted for itself about an order is left out."""
    held: dict[str, dict] = {table: {} for table in SHARED}
    for row in shop.held()["records"]:
        if row["table"] in held:
            held[row["table"]][row["id"]] = {name: value for name, value in row["body"].items() if name != "shownTotal"}
    return held
