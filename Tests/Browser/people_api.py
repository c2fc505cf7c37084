"""The part of the gateway's API about the own account: password, devices, reset links and the audit log."""

import secrets
from datetime import UTC, datetime

from farm_state import Refused, text_of

#: What browsers say of themselves, by the order in which a person signed in.
DEVICES = ("Chromium on Linux", "Firefox on Android", "Safari on iPhone")
PAGE = 50


def token_of(api, given: dict) -> str:
    return api.token(given["headers"])


def list_sessions(api, given: dict) -> dict:
    now = text_of(datetime.now(UTC))
    mine = [token for token, person in api.sessions.items() if person == given["me"]["person"]]
    return {"items": [
        {"session": token[:12], "device": DEVICES[index % len(DEVICES)], "network": f"192.0.2.{index + 1}", "opened": now,
         "used": now, "current": token == token_of(api, given)} for index, token in enumerate(mine)]}


def end_session(api, given: dict) -> dict:
    ended = [token for token, person in api.sessions.items()
             if person == given["me"]["person"] and token[:12] == given["session"]]
    for token in ended:
        del api.sessions[token]
    if not ended:
        raise Refused(404, "unknown-session", "There is no such session.")
    write(api, "sessions-ended", given["me"]["person"])
    return {}


def end_sessions(api, given: dict) -> dict:
    api.sessions = {token: person for token, person in api.sessions.items() if person != given["me"]["person"]}
    write(api, "sessions-ended", given["me"]["person"])
    return {}


def change_password(api, given: dict) -> dict:
    account = api.accounts[given["me"]["person"]]
    if account["password"] != given["old"]:
        raise Refused(403, "wrong-password", "old: this is not your present password.")
    api.checked_password(given)
    account["password"] = given["password"]
    if not given.get("keepOthers"):
        kept = token_of(api, given)
        api.sessions = {token: person for token, person in api.sessions.items()
                        if person != account["person"] or token == kept}
    write(api, "password-changed", account["person"])
    return {}


def request_reset(api, given: dict) -> dict:
    """Makes a link if there is an account; the response is the same if there is none."""
    for person, account in api.accounts.items():
        if account["email"] == given["email"]:
            api.reset_tokens[secrets.token_urlsafe(12)] = person
            write(api, "reset-requested", person)
    return {"mail": api.sends_mail}


def redeem_reset(api, given: dict) -> tuple:
    if given["token"] not in api.reset_tokens:
        raise Refused(410, "link-gone", "This link was used, or is older than an hour.")
    api.checked_password(given)
    person = api.reset_tokens.pop(given["token"])
    api.accounts[person]["password"] = given["password"]
    api.sessions = {token: whose for token, whose in api.sessions.items() if whose != person}
    write(api, "password-reset", person)
    return 201, api.public(person), {"Set-Cookie": api.session(person)}


def write(api, what: str, person: str | None = None, count: int = 1) -> None:
    number = len(api.audit) + 1
    actor = api.accounts.get(person or "", {}).get("name")
    api.audit.append({"number": number, "at": text_of(datetime.now(UTC)), "what": what, "actor": "person", "count": count}
                     | ({"person": person, "name": actor, "actorName": actor} if actor else {}))


def audit_log(api, given: dict) -> dict:
    rows = sorted(api.audit, key=lambda row: -row["number"])
    rows = [row for row in rows if row["number"] < int(given.get("after", 10**9))]
    return {"items": rows[:PAGE], "next": str(rows[PAGE - 1]["number"]) if len(rows) > PAGE else None}


ROUTES = [
    ("GET", "/v1/me/sessions", "buyer", list_sessions),
    ("DELETE", "/v1/me/sessions", "buyer", end_sessions),
    ("DELETE", "/v1/me/sessions/(?P<session>[^/]+)", "buyer", end_session),
    ("PUT", "/v1/me/password", "buyer", change_password),
    ("POST", "/v1/password-resets", None, request_reset),
    ("POST", "/v1/password-resets/redeem", None, redeem_reset),
    ("GET", "/v1/audit-log", "auditor", audit_log),
]
