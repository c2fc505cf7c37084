"""The hooks of schemathesis: the callers, and one call of each operation that has to succeed.

It runs inside schemathesis; `FURROW_CONTRACT` is the path of the file with the farm's addresses.
"""

import ast
import base64
import hashlib
import hmac
import json
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import schemathesis
from client import Client
from contract_farm import PASSWORD, PICTURE
from contract_gorse import gorse_calls
from contract_inventory import InventoryCalls
from contract_links import safe_links
from contract_radio import RadioCalls
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from farm import session_of
from hypothesis import strategies
from market import EUROS
from schemathesis.auths import AuthContext, set_on_case
from tags import Tag

TOLD = json.loads(open(os.environ["FURROW_CONTRACT"]).read())
STAFF = Client(TOLD["port"], TOLD["token"])
NOW = datetime.now(UTC)
PROMOTION = {"title": "Ripe now", "product": "tomatoes", "from": NOW.strftime("%Y-%m-%dT%H:%M:%SZ"),
             "until": (NOW + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")}
KEY = re.compile(r"[!-~]{1,200}")
LINES = [{"offer": "tomatoes-1", "quantity": 1}]
#: Operations on the caller's own account or session: each is called by a new buyer.
OWN = {"sign-out", "erase-me", "sessions", "end-session", "end-sessions", "change-password", "set-language",
       "set-promotion-hours"}
PARSING = threading.Lock()
parse = ast.parse


def parse_alone(*words, **more):
    """Serialises parsing: some Python versions mix up two threads that parse at once, as hypothesis does (CPython issue
    106905).
    """
    with PARSING:
        return parse(*words, **more)


ast.parse = parse_alone
safe_links()


def gtin(digits: str) -> str:
    """Returns the number with its check digit."""
    total = sum(int(digit) * (3 if index % 2 == 0 else 1) for index, digit in enumerate(reversed(digits)))
    return digits + str(-total % 10)


schemathesis.openapi.format(
    "gtin", strategies.sampled_from([7, 11, 12, 13]).flatmap(
        lambda count: strategies.text("0123456789", min_size=count, max_size=count)).map(gtin))


def fresh() -> str:
    """Returns an unused name."""
    return "x" + uuid.uuid4().hex[:12]


def fresh_lot() -> str:
    return STAFF.make("POST", "/v1/lots", {"product": "Tomatoes", "plot": "p1", "grams": 100_000})["lot"]


def held_lot() -> str:
    """Returns a lot on hold: it was harvested from a field that was sprayed before, as was recorded later."""
    plot, sprayed = fresh(), datetime.now(UTC) - timedelta(days=2)
    STAFF.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": plot, "title": "Sprayed"})
    lot = STAFF.make("POST", "/v1/lots", {"product": "Tomatoes", "plot": plot, "grams": 1000})["lot"]
    STAFF.make("POST", f"/v1/plots/{plot}/activities", {
        "kind": "plant-protection", "waitingDays": 14, "happened": sprayed.isoformat().replace("+00:00", "Z")})
    return lot


def packed_lot() -> str:
    lot = fresh_lot()
    STAFF.make("POST", f"/v1/lots/{lot}/packings", {"boxes": 2, "gramsEach": 5000})
    return lot


def fresh_offer() -> str:
    return STAFF.make("POST", "/v1/offers", {"product": "tomatoes", "lot": "BOX-1", "price": EUROS})["offer"]


def fresh_product() -> str:
    return STAFF.make("POST", "/v1/products", {
        "product": fresh(), "farm": "sonnhof", "title": "Peppers", "unit": "box"})["product"]


def fresh_promotion() -> str:
    return STAFF.make("PUT", f"/v1/promotions/{fresh()}", PROMOTION)["promotion"]


def fresh_pickup() -> str:
    return STAFF.make("PUT", f"/v1/pickups/{fresh()}", {"title": "At the gate"})["pickup"]


def fresh_order(**more) -> dict:
    return STAFF.make("POST", "/v1/orders", {"lines": LINES, "pickup": "barn"} | more)


def collected() -> str:
    order = fresh_order()["order"]
    STAFF.make("POST", f"/v1/sales/{order}/collections", {})
    return order


def person() -> dict:
    return {"name": "Bea Baum", "email": f"{fresh()}@farm.test", "password": PASSWORD}


def somebody() -> dict:
    """Returns a new account."""
    credentials = person()
    return STAFF.make("POST", "/v1/accounts", credentials | {"role": "grower"}) | credentials


def signed_up() -> str:
    """Returns the session of a new buyer."""
    caller = {"X-Forwarded-For": f"192.0.2.{random.randrange(256)}"}
    answer = Client(TOLD["port"]).call("POST", "/v1/buyers", person(), headers=caller)
    assert answer.status == 201, answer
    return session_of(answer)


def own_session() -> dict:
    """Returns a session, and its name."""
    token = signed_up()
    listed = Client(TOLD["port"], token).get("/v1/me/sessions")
    return {"token": token, "path": {"session": listed["items"][0]["session"]}}


def activity() -> str:
    return STAFF.make("POST", "/v1/plots/p1/activities", {"kind": "weeding"})["activity"]


def notice() -> dict:
    order = fresh_order(payment="sandbox")
    return {"payment": order["payments"][0]["payment"], "event": "authorized", "amount": order["total"]}


def declined() -> str:
    """Returns an order whose payment failed."""
    order = fresh_order(payment="sandbox")
    body = json.dumps({"payment": order["payments"][0]["payment"], "event": "failed"}).encode()
    answer = Client(TOLD["port"]).call("POST", "/v1/payments/notices", json.loads(body), headers=signature(body))
    assert answer.status == 200, answer
    return order["order"]


def raised() -> dict:
    """Returns the rule and the point of an alarm that is on."""
    tag, store, rule, point = Tag(random.randrange(1000, 60_000)), fresh(), fresh(), fresh()
    STAFF.make("POST", "/v1/stores", {"farm": "sonnhof", "store": store, "title": "Warm", "cold": False})
    STAFF.make("PUT", f"/v1/points/{point}", {"title": "Top", "place": f"store/{store}", "device": tag.device})
    STAFF.make("PUT", f"/v1/rules/{rule}", {"place": f"store/{store}", "quantity": "temperature", "above": 20})
    STAFF.make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=30.0)]})
    return {"rule": rule, "point": point}


def staff_session() -> str:
    """Returns the session of a new grower."""
    account = somebody()
    answer = Client(TOLD["port"]).call("POST", "/v1/sessions", {
        "email": account["email"], "password": account["password"]})
    assert answer.status == 201, answer
    return session_of(answer)


def subscription() -> dict:
    """Returns a browser's push subscription, whose service is not reachable."""
    point = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint)
    return {"endpoint": f"https://127.0.0.1:9/{fresh()}", "p256dh": base64url(point), "auth": base64url(bytes(16))}


def base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def own_device() -> dict:
    """Returns a session, and a device of its person."""
    token = staff_session()
    made = Client(TOLD["port"], token).make("POST", "/v1/me/channels", subscription())
    return {"token": token, "path": {"channel": made["channel"]}}


def webhook() -> dict:
    return {"recipient": somebody()["person"], "url": "https://127.0.0.1:9/alarm", "title": "Siren"}


def made_webhook() -> str:
    return STAFF.make("POST", "/v1/webhooks", webhook())["channel"]


#: One call of each operation that has to succeed: path, query and body, created on demand.
CALLS: dict[str, Callable[[], dict]] = InventoryCalls(STAFF).calls | RadioCalls(STAFF).calls | gorse_calls(STAFF) | {
    "found-farm": lambda: {"body": {"farm": fresh(), "title": "Berghof", "zone": "Europe/Vienna"}},
    "lay-out-plot": lambda: {"body": {"farm": "sonnhof", "plot": fresh(), "title": "South"}},
    "open-store": lambda: {"body": {"farm": "sonnhof", "store": fresh(), "title": "Barn"}},
    "record-activity": lambda: {"path": {"plot": "p2"}, "body": {"kind": "sowing", "substance": "Matina"}},
    "activities": lambda: {"path": {"plot": "p1"}},
    "correct-activity": lambda: {"path": {"activity": activity()}, "body": {"reason": "Forgot the seed"}},
    "harvest": lambda: {"body": {"product": "Tomatoes", "plot": "p1", "grams": 1000}},
    "lot": lambda: {"path": {"lot": "BOX-1"}},
    "correct-harvest": lambda: {"path": {"lot": fresh_lot()}, "body": {"grams": 90_000, "reason": "Read again"}},
    "split-lot": lambda: {"path": {"lot": fresh_lot()}, "body": {"grams": 1000}},
    "pack-lot": lambda: {"path": {"lot": fresh_lot()}, "body": {"boxes": 2, "gramsEach": 5000}},
    "store-lot": lambda: {"path": {"lot": fresh_lot()}, "body": {"store": "s1"}},
    "hand-over-lot": lambda: {"path": {"lot": fresh_lot()}, "body": {"to": "The market"}},
    "recall-lot": lambda: {"path": {"lot": fresh_lot()}, "body": {"reason": "A splinter of glass"}},
    "release-lot": lambda: {"path": {"lot": held_lot()}, "body": {"reason": "The laboratory found nothing"}},
    "print-labels": lambda: {"path": {"lot": packed_lot()}, "body": {}},
    "labels-svg": lambda: {"path": {"lot": "LBL-1"}},
    "labels-png": lambda: {"path": {"lot": "LBL-1"}},
    "labels-pdf": lambda: {"path": {"lot": "LBL-1"}},
    "readings": lambda: {"query": {"place": "plot/p1", "quantity": "temperature", "resolution": "15m"}},
    "bind-point": lambda: {"path": {"point": fresh()}, "body": {"title": "Cold", "place": "store/s1"}},
    "retire-point": lambda: {"path": {"point": raised()["point"]}, "body": {"reason": "The shelf is gone"}},
    "calibrate-device": lambda: {"body": {
        "device": Tag(2).device, "quantity": "temperature", "offset": 0.3, "certificate": "Ice water"}},
    "record-readings": lambda: {"body": {"rows": [
        {"point": raised()["point"], "readings": [{"quantity": "temperature", "value": 4.5}]}]}},
    "growth": lambda: {"query": {"plot": "p1", "resolution": "1d"}},
    "set-rule": lambda: {"path": {"rule": fresh()}, "body": {"place": "store/s1", "quantity": "humidity", "above": 9}},
    "alarm-history": lambda: {"query": {"point": "p1"}},
    "acknowledge-alarm": lambda: {"path": raised(), "body": {"comment": "On my way"}},
    "shelve-alarm": lambda: {"path": raised(), "body": {"minutes": 30, "comment": "The door is open"}},
    "set-on-call": lambda: {"body": {"steps": [{"afterMinutes": 0, "people": ["anna"]}], "repeatMinutes": 30}},
    "set-goods": lambda: {"path": {"goods": fresh()}, "body": {
        "title": "Carrots", "products": [], "limits": [{"quantity": "humidity", "below": 85}]}},
    "passport": lambda: {"path": {"lot": "LBL-1"}},
    "tile": lambda: {"path": {"level": 0, "index": "000.p/1"}},
    "set-up": lambda: {"body": person() | {"token": TOLD["setup"]}},
    "sign-in": lambda: {"body": {name: value for name, value in somebody().items() if name in ("email", "password")}},
    "sign-up": lambda: {"body": person()},
    "change-password": lambda: {"body": {"old": PASSWORD, "password": "seven green tractors"}},
    "end-session": own_session,
    "reset-password": lambda: {"body": {"token": TOLD["reset"], "password": "seven green tractors"}},
    "keep-contact": lambda: {"body": {"name": "Bea Baum", "telephone": "+43 1 234"}},
    "enrol": lambda: {"body": person() | {"role": "auditor"}},
    "erase-account": lambda: {"path": {"person": somebody()["person"]}},
    "own-channels": lambda: {"token": staff_session()},
    "subscribe-push": lambda: {"token": staff_session(), "body": subscription()},
    "remove-own-channel": own_device,
    "test-own-channel": own_device,
    "make-webhook": lambda: {"body": webhook()},
    "remove-webhook": lambda: {"path": {"channel": made_webhook()}},
    "test-webhook": lambda: {"path": {"channel": made_webhook()}},
    "command-status": lambda: {"path": {"key": TOLD["unknown"]}},
    "directory-farm": lambda: {"path": {"farm": "sonnhof"}},
    "profile-farm": lambda: {"path": {"farm": "sonnhof"}, "body": {"title": "Sonnhof", "hasGoods": True}},
    "product": lambda: {"path": {"product": "tomatoes"}},
    "why": lambda: {"path": {"product": "tomatoes"}},
    "list-product": lambda: {"body": {"product": fresh(), "farm": "sonnhof", "title": "Beans", "unit": "kg"}},
    "change-product": lambda: {"path": {"product": fresh_product()}, "body": {"title": "Red", "unit": "box"}},
    "withdraw-product": lambda: {"path": {"product": fresh_product()}, "body": {}},
    "publish-offer": lambda: {"body": {"product": "tomatoes", "lot": "BOX-1", "price": EUROS}},
    "reprice-offer": lambda: {"path": {"offer": fresh_offer()}, "body": {"price": EUROS}},
    "withdraw-offer": lambda: {"path": {"offer": fresh_offer()}, "body": {}},
    "set-stock": lambda: {"path": {"lot": "BOX-1"}, "body": {"boxes": 1000}},
    "adjust-stock": lambda: {"path": {"lot": "BOX-1"}, "body": {"by": -1, "reason": "Eaten"}},
    "open-pickup": lambda: {"path": {"pickup": fresh()}, "body": {"title": "At the gate"}},
    "close-pickup": lambda: {"path": {"pickup": fresh_pickup()}, "body": {}},
    "quote": lambda: {"query": {"lines": "tomatoes-1:2"}},
    "publish-promotion": lambda: {"path": {"promotion": fresh()}, "body": PROMOTION},
    "end-promotion": lambda: {"path": {"promotion": fresh_promotion()}, "body": {}},
    "show-promotion": lambda: {"path": {"promotion": fresh_promotion()}, "body": {"heldBack": False}},
    "hold-cart": lambda: {"body": {"lines": LINES}},
    "place-order": lambda: {"body": {"lines": LINES, "pickup": "barn"}},
    "order": lambda: {"path": {"order": fresh_order()["order"]}},
    "change-order": lambda: {"path": {"order": fresh_order()["order"]}, "body": {"lines": LINES}},
    "cancel-order": lambda: {"path": {"order": fresh_order()["order"]}, "body": {}},
    "pay-again": lambda: {"path": {"order": declined()}, "body": {}},
    "sold-order": lambda: {"path": {"order": fresh_order()["order"]}},
    "call-off-order": lambda: {"path": {"order": fresh_order()["order"]}, "body": {"reason": "Hail"}},
    "collect-order": lambda: {"path": {"order": fresh_order()["order"]}, "body": {}},
    "refund-order": lambda: {"path": {"order": collected()}, "body": {"amount": EUROS, "reason": "Bruised"}},
    "import-orders": lambda: {"body": {"orders": [{
        "order": fresh(), "buyer": str(uuid.uuid4()), "placed": "2026-01-01T12:00:00Z",
        "lines": [{"product": "tomatoes", "quantity": 1}]}]}},
    "payment-notice": lambda: {"body": notice()},
    "set-favourite": lambda: {"path": {"kind": "farm", "name": "sonnhof"}, "body": {}},
    "unset-favourite": lambda: {"path": {"kind": "farm", "name": "sonnhof"}},
    "sync-push": lambda: {"body": {"changes": {"favourites": {"created": [{"id": "farm.sonnhof"}]}}}},
    "present-site": lambda: {"body": {"title": "Sonnhof", "sponsors": [{"name": "The county"}]}},
    "keep-media": lambda: {"body": PICTURE, "media_type": "application/octet-stream"},
    "media": lambda: {"path": {"sha256": TOLD["picture"]}},
}


def name_of(operation) -> str:
    return operation.definition.raw["operationId"]


@schemathesis.hook
def before_add_examples(context, examples: list) -> None:
    """Adds the successful call of the operation; operations without parameters are called as they are."""
    operation = context.operation
    call = CALLS.get(name_of(operation), dict)()
    headers = {} if operation.method.upper() == "GET" else {"Idempotency-Key": uuid.uuid4().hex}
    more = {"body": call["body"], "media_type": call.get("media_type", "application/json")} if "body" in call else {}
    case = operation.Case(path_parameters=call.get("path", {}), query=call.get("query", {}), headers=headers, **more)
    set_on_case(case, AuthContext(operation=operation, app=None), None)
    if "token" in call:
        case.headers["Authorization"] = f"Bearer {call['token']}"
    examples.append(case)


def is_readable(value) -> bool:
    """Returns whether every number in the value fits into 64 bits."""
    match value:
        case dict():
            return all(is_readable(one) for one in value.values())
        case list():
            return all(is_readable(one) for one in value)
        case int():
            return -(2**63) <= value < 2**64
        case _:
            return True


@schemathesis.hook
def filter_case(context, case) -> bool:
    """Skips cases with numbers that do not fit into 64 bits.

    Unknown members are ignored, but such a number makes the document no interoperable JSON (RFC 8259, section 6). A
    schema cannot express that for unnamed members.
    """
    return is_readable(case.body)


@schemathesis.auth(refresh_interval=None)
class Token:
    """The administrator's token. It has no account, so operations on the own account use a new buyer's session."""

    def get(self, case, context) -> str:
        return signed_up() if name_of(case.operation) in OWN else TOLD["token"]

    def set(self, case, data: str, context) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


def sign(request):
    """Signs a notice as a payment provider does, once its bytes are final."""
    body = request.body.encode() if isinstance(request.body, str) else request.body
    request.headers.update(signature(body))
    return request


def signature(body: bytes) -> dict[str, str]:
    """Returns the signature headers of a notice."""
    stamp, name = str(int(time.time())), uuid.uuid4().hex
    signed = f"{name}.{stamp}.".encode() + body
    code = base64.b64encode(hmac.digest(TOLD["secret"].encode(), signed, hashlib.sha256)).decode()
    return {"webhook-id": name, "webhook-timestamp": stamp, "webhook-signature": f"v1,{code}"}


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    """Gives each change a key of its own: under a used key, nothing is done again."""
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and KEY.fullmatch(key):
        case.headers["Idempotency-Key"] = uuid.uuid4().hex
    if name_of(context.operation) == "payment-notice" and "webhook-id" not in case.headers and case.meta is None:
        kwargs["auth"] = sign


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Records the response, for the test to count."""
    with open(TOLD["record"], "a") as record:
        record.write(json.dumps({
            "operation": name_of(context.operation), "method": response.request.method,
            "status": response.status_code}) + "\n")
