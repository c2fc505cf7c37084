"""The gateway's public API over a farm in memory: routes, sessions, idempotency, live events."""

import json
import re
import secrets
import threading
from datetime import UTC, datetime, timedelta
from email.message import Message
from queue import Empty, Queue

import lots_api
from farm_state import FarmState, Refused, text_of, time_of
from market_api import ROUTES as MARKET_ROUTES
from people_api import ROUTES as PEOPLE_ROUTES
from sample_market import Market

ROLES = ["buyer", "auditor", "grower", "administrator"]
SQUARE = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h7v7H1z"/></svg>'
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082")


class Inbox:
    """What one listener of the live feed has not been told yet."""

    def __init__(self):
        self.queue: Queue = Queue()

    def take(self, seconds: float) -> list:
        try:
            return [self.queue.get(timeout=seconds)]
        except Empty:
            return []


class FarmAPI:
    """Answers requests; `answer` gives (status, body, headers) or raises Refused."""

    def __init__(self, farm: FarmState):
        self.farm = farm
        self.lock = threading.RLock()
        self.closed = threading.Event()
        self.public_url: str | None = None
        self.setup_token: str | None = secrets.token_urlsafe(24)
        self.accounts: dict[str, dict] = {}
        self.sessions: dict[str | None, str] = {}
        self.answers: dict[str | None, tuple[bytes, tuple]] = {}
        self.inboxes: list[Inbox] = []
        self.carried_out = 0
        self.market = Market()
        #: Reset links by their tokens, whether they leave by e-mail, and what is written down of all that.
        self.reset_tokens: dict[str, str] = {}
        self.sends_mail = True
        self.audit: list[dict] = []
        #: What could not be said to a buyer or a payment provider.
        self.given_up: list[dict] = []

    def enrol(self, name: str, email: str, password: str, role: str) -> str:
        person = secrets.token_hex(8)
        self.accounts[person] = {"person": person, "name": name, "email": email, "role": role, "password": password}
        return person

    def listen(self) -> Inbox:
        inbox = Inbox()
        self.inboxes.append(inbox)
        return inbox

    def tell(self, event: str, data: dict) -> None:
        """Sends a live event to everybody who listens."""
        for inbox in self.inboxes:
            inbox.queue.put((event, data))

    def token(self, headers: Message) -> str | None:
        found = re.search(r"furrow_session=([\w-]+)", headers.get("Cookie") or "")
        return found[1] if found else None

    def who(self, headers: Message) -> dict:
        person = self.sessions.get(self.token(headers))
        if person not in self.accounts:
            raise Refused(401, "not-signed-in", "Sign in first.")
        return self.accounts[person]

    def perhaps(self, headers: Message) -> dict | None:
        try:
            return self.who(headers)
        except Refused:
            return None

    def answer(self, method: str, path: str, query: dict, body: bytes, key: str | None, headers: Message) -> tuple:
        with self.lock:
            if method != "GET":
                if not key:
                    raise Refused(400, "idempotency-key-missing", "Send an Idempotency-Key.")
                digest = f"{method} {path} ".encode() + body
                if key in self.answers:
                    before, answer = self.answers[key]
                    if before != digest:
                        raise Refused(422, "key-reused", "This Idempotency-Key was used for another request.")
                    return answer
            for routed, pattern, role, handler in ROUTES:
                found = re.fullmatch(pattern, path) if routed == method else None
                if not found:
                    continue
                me = self.who(headers) if role else self.perhaps(headers)
                is_file = headers.get("Content-Type") == "application/octet-stream"
                told = {"octets": body} if is_file else json.loads(body) if body else {}
                if me and told.get("person") not in (None, me["person"]):
                    raise Refused(401, "somebody-else", "This is somebody else's: they have to sign in to send it.")
                if role and ROLES.index(me["role"]) < ROLES.index(role):
                    raise Refused(403, "forbidden", f"This needs the role {role}.")
                given = {**told, **query, **found.groupdict(), "me": me, "headers": headers}
                answer = handler(self, given)
                answer = answer if isinstance(answer, tuple) and len(answer) == 3 else (200, answer, {})
                if method != "GET":
                    self.carried_out += 1
                    self.answers[key] = (digest, answer)
                return answer
            raise Refused(404, "no-such-thing", f"There is no {path}.")

    # Buyers

    def pull(self, given: dict) -> dict:
        since = given.get("last_pulled_at")
        me = given["me"] and self.public(given["me"]["person"])
        told = self.market.pull(
            me["person"] if me else None, int(since) if since else None, given.get("epoch"), given.get("scope"))
        return {"me": me, "payments": self.market.payments} | told

    def sign_up(self, given: dict) -> tuple:
        self.checked_password(given)
        person = self.enrol(given["name"], given["email"], given["password"], "buyer")
        return 201, self.public(person), {"Set-Cookie": self.session(person)}

    def erase_me(self, given: dict) -> tuple:
        self.market.erase(given["me"]["person"])
        del self.accounts[given["me"]["person"]]
        return 204, {}, {}

    # People

    def set_up(self, given: dict) -> tuple:
        if given.get("token") != self.setup_token or self.setup_token is None:
            raise Refused(410, "setup-gone", "This set-up link was used, or is older than 15 minutes.")
        self.checked_password(given)
        self.setup_token = None
        person = self.enrol(given["name"], given["email"], given["password"], "administrator")
        return 201, self.public(person), {"Set-Cookie": self.session(person)}

    def checked_password(self, given: dict) -> None:
        if len(given.get("password") or "") < 10:
            raise Refused(400, "malformed", "password: use at least 10 characters.")

    def session(self, person: str) -> str:
        token = secrets.token_urlsafe(16)
        self.sessions[token] = person
        return f"furrow_session={token}; HttpOnly; SameSite=Strict; Path=/"

    def public(self, person: str) -> dict:
        return {name: value for name, value in self.accounts[person].items() if name != "password"}

    def sign_in(self, given: dict) -> tuple:
        for person, account in self.accounts.items():
            if account["email"] == given.get("email") and account["password"] == given.get("password"):
                return 201, self.public(person), {"Set-Cookie": self.session(person)}
        raise Refused(401, "wrong-credentials", "E-mail or password is wrong.")

    def sign_out(self, given: dict) -> dict:
        self.sessions = {token: person for token, person in self.sessions.items() if person != given["me"]["person"]}
        return {}

    def me(self, given: dict) -> dict:
        return self.public(given["me"]["person"])

    def operations(self, given: dict) -> dict:
        """A farm server on which everything is well."""
        now = text_of(datetime.now(UTC))

        def service(origin: str, **more) -> dict:
            return {"origin": origin, "state": "ok", "troubles": [], "head": 1200, "notInHub": 0, "lag": 0, "parked": 0,
                    "waiting": 0, "residentBytes": 41_000_000} | more

        return {
            "at": now, "hub": 2400, "parked": 0, "waiting": 0,
            "disk": {"free": 12_300_000_000, "size": 40_000_000_000, "needed": 4_000_000_000, "days": 1500},
            "backup": {"made": now, "path": "/mnt/usb/furrow-20260720T020000Z", "bytes": 1_000_000},
            "services": [service("trace-ledger/farm-0"), service("sync-gateway/farm-0"), service("sensor-ingest/farm-0")],
        }

    def list_accounts(self, given: dict) -> dict:
        return items([self.public(person) for person in self.accounts])

    def create_account(self, given: dict) -> tuple:
        if any(account["email"] == given["email"] for account in self.accounts.values()):
            raise Refused(409, "known", "There is an account with this e-mail already.")
        self.checked_password(given)
        return 201, {"person": self.enrol(given["name"], given["email"], given["password"], given["role"])}, {}

    def erase_account(self, given: dict) -> dict:
        if given["person"] == given["me"]["person"]:
            raise Refused(409, "yourself", "You cannot erase yourself.")
        self.accounts.pop(given["person"], None)
        return {}

    # Land

    def found_farm(self, given: dict) -> tuple:
        name = named(given, "farm")
        if name in self.farm.farms:
            raise Refused(409, "known", f"There is a farm {name} already.")
        self.farm.farms[name] = pick(given, "farm", "title", "zone", "country")
        return 201, {"farm": name}, {}

    def lay_out(self, kind: str, given: dict) -> tuple:
        name = named(given, kind)
        place = f"{kind}/{name}"
        if given.get("farm") not in self.farm.farms:
            raise Refused(404, "unknown-farm", f"There is no farm {given.get('farm')}.")
        if place in self.farm.places:
            raise Refused(409, "known", f"There is a {place} already.")
        self.farm.places[place] = pick(given, kind, "farm", "title", "crop", "areaSquareMetres", "cold")
        return 201, {kind: name}, {}

    def places(self, kind: str) -> dict:
        return items([place | {"latest": self.latest(name)} for name, place in self.farm.places.items()
                      if name.startswith(kind)])

    def latest(self, place: str) -> dict:
        quantities = ["temperature", "humidity"] if place.startswith("store/") else ["temperature", "soil-moisture"]
        if not any(point["place"] == place for point in self.farm.points.values()):
            return {}
        now = self.farm.now
        return {quantity: {"value": self.farm.hours(place, quantity, now, now)[0][2],
                           "unit": {"temperature": "Cel", "humidity": "%RH"}.get(quantity, "%"), "at": text_of(now)}
                for quantity in quantities}

    def activities(self, given: dict) -> dict:
        rows = [row for row in self.farm.activities.values() if row["plot"] == given["plot"]]
        return items(sorted(rows, key=lambda row: row["happened"], reverse=True))

    def record(self, given: dict) -> tuple:
        self.in_the_past(given)
        return 201, {"activity": self.farm.record(given["plot"], given)}, {}

    def correct(self, given: dict) -> tuple:
        self.in_the_past(given)
        if not (given.get("reason") or "").strip():
            raise Refused(400, "malformed", "reason: is missing")
        self.farm.correct(given["activity"], given)
        return 201, {"activity": given["activity"]}, {}

    def in_the_past(self, given: dict) -> None:
        latest = max(self.farm.now, datetime.now(UTC)) + timedelta(minutes=1)
        if given.get("happened") and time_of(given["happened"]) > latest:
            raise Refused(422, "in-the-future", f"happened: {given['happened']} has not come yet.")

    def readings(self, given: dict) -> dict:
        end = time_of(given["to"]) if "to" in given else self.farm.now
        start = time_of(given["from"]) if "from" in given else end - timedelta(days=14)
        if not any(point["place"] == given["place"] for point in self.farm.points.values()):
            return items([])
        rows = self.farm.hours(given["place"], given["quantity"], start, end)
        return items([{"hour": text_of(time_of("1970-01-01T00:00:00Z") + timedelta(hours=hour)), "min": low,
                       "mean": middle, "max": high, "count": 6} for hour, low, middle, high in rows])

    # Lots

    def lots(self, given: dict) -> dict:
        return lots_api.listed(self, given)

    def harvest(self, given: dict) -> tuple:
        self.in_the_past(given)
        if not isinstance(given.get("grams"), int) or given["grams"] <= 0:
            raise Refused(400, "malformed", "grams: expected an integer above 0")
        return 201, self.farm.harvest(given), {}

    def split(self, given: dict) -> tuple:
        parent = self.farm.lot(given["lot"])
        self.farm.take(given["lot"], given["grams"])
        self.farm.step(given["lot"], "split", {}, grams=given["grams"])
        into = given.get("into") or f"L{len(self.farm.lots) + 1:06d}"
        step = {"what": "split", "at": text_of(self.farm.now), "grams": given["grams"]}
        self.farm.lots[into] = parent | {"lot": into, "parent": given["lot"], "grams": given["grams"],
                                         "left": given["grams"], "boxList": [], "printed": False, "custody": [step]}
        return 201, {"lot": into}, {}

    def pack(self, given: dict) -> tuple:
        return 201, {"serials": self.farm.pack(given["lot"], given["boxes"], given["gramsEach"])}, {}

    def put_into_store(self, given: dict) -> tuple:
        self.farm.place(f"store/{given['store']}")
        self.farm.step(given["lot"], "stored", given, place=f"store/{given['store']}")
        return 201, {"lot": given["lot"]}, {}

    def hand_over(self, given: dict) -> tuple:
        row = self.farm.step(given["lot"], "handed-over", given, to=given["to"])
        row["handedTo"] = given["to"]
        return 201, {"lot": given["lot"]}, {}

    def passport(self, given: dict) -> dict:
        if given.get("gtin") != self.farm.lot(given["lot"])["gtin"]:
            raise Refused(404, "unknown-lot", f"There is no lot {given['lot']} of this item.")
        index = self.farm.passport_index(given["lot"])
        since = int(given["since"]) if "since" in given else None
        return self.farm.log.evidence(index, since)

    # Sensors

    def bind(self, given: dict) -> dict:
        self.farm.place(given["place"])
        self.farm.points[given["point"]] = pick(given, "point", "title", "place", "device")
        for device in self.farm.devices:
            if device["device"] == given.get("device"):
                device["point"] = given["point"]
        return {"point": given["point"]}

    def set_rule(self, given: dict) -> dict:
        self.farm.place(given["place"])
        if given.get("above") is None and given.get("below") is None:
            raise Refused(400, "malformed", "above: give a limit above or below")
        self.farm.rules[given["rule"]] = {"hysteresis": 0, "enabled": True} | pick(
            given, "rule", "place", "quantity", "above", "below", "hysteresis", "enabled")
        return {"rule": given["rule"]}


def items(rows: list) -> dict:
    return {"items": rows, "next": None}


def pick(given: dict, *names: str) -> dict:
    return {name: given[name] for name in names if given.get(name) is not None}


def named(given: dict, member: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", given.get(member) or ""):
        raise Refused(400, "malformed", f"{member}: use up to 40 letters, digits, hyphens and underscores.")
    return given[member]


LOT = r"/v1/lots/(?P<lot>[A-Z0-9-]+)"
ROUTES = [
    ("POST", "/v1/setup", None, FarmAPI.set_up),
    ("POST", "/v1/sessions", None, FarmAPI.sign_in),
    ("DELETE", "/v1/sessions/current", "buyer", FarmAPI.sign_out),
    ("GET", "/v1/me", "buyer", FarmAPI.me),
    ("GET", "/v1/operations", "administrator", FarmAPI.operations),
    ("GET", "/v1/accounts", "administrator", FarmAPI.list_accounts),
    ("POST", "/v1/accounts", "administrator", FarmAPI.create_account),
    ("DELETE", "/v1/accounts/(?P<person>[^/]+)", "administrator", FarmAPI.erase_account),
    ("GET", "/v1/farms", "auditor", lambda api, given: items(list(api.farm.farms.values()))),
    ("POST", "/v1/farms", "administrator", FarmAPI.found_farm),
    ("GET", "/v1/plots", "auditor", lambda api, given: api.places("plot/")),
    ("POST", "/v1/plots", "grower", lambda api, given: api.lay_out("plot", given)),
    ("GET", "/v1/stores", "auditor", lambda api, given: api.places("store/")),
    ("POST", "/v1/stores", "grower", lambda api, given: api.lay_out("store", given)),
    ("GET", "/v1/plots/(?P<plot>[^/]+)/activities", "auditor", FarmAPI.activities),
    ("POST", "/v1/plots/(?P<plot>[^/]+)/activities", "grower", FarmAPI.record),
    ("POST", "/v1/activities/(?P<activity>[^/]+)/corrections", "grower", FarmAPI.correct),
    ("GET", "/v1/lots", "auditor", FarmAPI.lots),
    ("POST", "/v1/lots", "grower", FarmAPI.harvest),
    ("GET", LOT, "auditor", lots_api.lot),
    ("POST", LOT + "/splits", "grower", FarmAPI.split),
    ("POST", LOT + "/packings", "grower", FarmAPI.pack),
    ("POST", LOT + "/storings", "grower", FarmAPI.put_into_store),
    ("POST", LOT + "/handovers", "grower", FarmAPI.hand_over),
    ("POST", LOT + "/labels", "grower", lambda api, given: (201, api.farm.labels(given["lot"], api.public_url), {})),
    ("GET", LOT + r"/labels\.svg", "grower", lambda api, given: (
        200, ("image/svg+xml", SQUARE), {})),
    ("GET", LOT + r"/labels\.png", "grower", lambda api, given: (200, ("image/png", PIXEL), {})),
    ("GET", LOT + r"/labels\.pdf", "grower", lambda api, given: (200, ("application/pdf", b"%PDF-1.4\n"), {})),
    ("GET", LOT + "/passport", None, FarmAPI.passport),
    ("GET", "/v1/readings", "auditor", FarmAPI.readings),
    ("GET", "/v1/points", "auditor", lambda api, given: items(list(api.farm.points.values()))),
    ("PUT", "/v1/points/(?P<point>[^/]+)", "grower", FarmAPI.bind),
    ("GET", "/v1/reporting", "auditor", lambda api, given: api.farm.reporting()),
    ("GET", "/v1/unread-devices", "auditor", lambda api, given: items(api.farm.unread)),
    ("GET", "/v1/devices", "auditor", lambda api, given: items(api.farm.devices)),
    ("GET", "/v1/rules", "auditor", lambda api, given: items(list(api.farm.rules.values()))),
    ("PUT", "/v1/rules/(?P<rule>[^/]+)", "grower", FarmAPI.set_rule),
    ("GET", "/v1/alarms", "auditor", lambda api, given: items(list(reversed(api.farm.alarms)))),
    ("GET", "/v1/holds", "auditor", lambda api, given: items(api.farm.holds)),
    ("GET", "/v1/messages/given-up", "auditor", lambda api, given: items(api.given_up)),
    ("GET", "/v1/sync", None, FarmAPI.pull),
    ("POST", "/v1/sync", "buyer", lambda api, given: api.market.push(given["me"]["person"], given)),
    ("POST", "/v1/buyers", None, FarmAPI.sign_up),
    ("POST", "/v1/orders/(?P<order>[^/]+)/cancellations", "buyer",
     lambda api, given: api.market.cancel(given["me"]["person"], given["order"])),
    ("POST", "/v1/orders/(?P<order>[^/]+)/payments", "buyer",
     lambda api, given: (201, api.market.pay_again(given["me"]["person"], given["order"]), {})),
    ("PUT", "/v1/me/contact", "buyer", lambda api, given: {}),
    ("GET", "/v1/me/export", "buyer", lambda api, given: {"account": given["me"] | {"password": None}, "market": {}}),
    ("DELETE", "/v1/me", "buyer", FarmAPI.erase_me),
    ("GET", "/ledger/keys", None, lambda api, given: api.farm.log.keys()),
    ("GET", "/ledger/checkpoint", None, lambda api, given: (
        200, ("text/plain", api.farm.log.checkpoint().encode()), {})),
    *PEOPLE_ROUTES,
    *MARKET_ROUTES,
]
