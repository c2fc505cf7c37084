"""An erased person is found nowhere: a unique name is searched in all stored data."""

import base64
import uuid

from client import Client
from farm import session_of


def test_a_person_who_is_erased_is_found_nowhere_below_the_home(own_farm):
    farm = own_farm().start()
    mark = uuid.uuid4().hex[:14]
    first = person(f"First{mark}")
    answer = Client(farm.port).call("POST", "/v1/setup", {"token": farm.setup_token()} | first)
    assert answer.status == 201, answer
    farm.token = session_of(answer)
    client = farm.client()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
    client.make("POST", "/v1/plots/p1/activities", {"kind": "sowing"})

    # Every action that handles personal data: accounts, signing in with right and wrong passwords.
    people = [first]
    others = {}
    for role in ("grower", "auditor", "administrator"):
        people.append(person(f"{role.title()}{mark}"))
        others[role] = client.make("POST", "/v1/accounts", people[-1] | {"role": role})["person"]
        assert farm.sign_in(people[-1]).get("/v1/me")["name"] == people[-1]["name"]
        wrong = Client(farm.port).call(
            "POST", "/v1/sessions", {"email": people[-1]["email"], "password": f"Wrong{mark}"})
        assert wrong.status == 401
        worker = farm.sign_in(people[-1])
        if role != "auditor":
            worker.make("POST", "/v1/plots/p1/activities", {"kind": "irrigating"})
    unknown = Client(farm.port).call("POST", "/v1/sessions", {"email": f"nobody{mark}@farm.test", "password": "x" * 9})
    assert unknown.status == 401
    farm.audited()

    kept = places(farm, mark)
    print(f"before: {sum(kept.values())} places in {sorted(kept)}")
    assert sum(kept.values()) >= 4, "the search finds nothing at all, so it proves nothing"

    successor = {"name": "Successor", "email": "successor@farm.test", "password": "correct horse battery"}
    client.make("POST", "/v1/accounts", successor | {"role": "administrator"})
    own = client.get("/v1/me")["person"]
    farm.token = farm.sign_in(successor).token
    client = farm.client()
    for number in [own, *others.values()]:
        erased = client.settle("DELETE", f"/v1/accounts/{number}")
        assert erased.status == 204, erased
    refused = Client(farm.port).call("POST", "/v1/sessions", {"email": first["email"], "password": first["password"]})
    assert refused.status == 401
    assert Client(farm.port, session_of(answer)).call("GET", "/v1/me").status == 401

    found = farm.audited()
    told = farm.furrow("replay", "--origin", "hub").stdout + b"".join(
        farm.furrow("replay", "--origin", journal["origin"]).stdout for journal in found["journals"]
        if journal["origin"] != "hub")
    assert told.count(b"person-erased") >= 4 and mark.encode() not in told
    live = places(farm, mark)
    farm.stop()
    stopped = places(farm, mark)
    dump = told.lower().count(mark.encode())
    print(f"after: running {live}, stopped {stopped}; {len(told)} bytes of journals and hub with {dump}")
    assert not live and not stopped
    farm.start()
    farm.audited()


def person(name: str) -> dict:
    """Returns a person whose name, address and password carry the mark."""
    return {"name": name, "email": f"{name.lower()}@farm.test", "password": f"Secret-{name}"}


def places(farm, mark: str) -> dict[str, int]:
    """Returns how often each file below the home or the run folder contains the mark, in any encoding."""
    spellings = [mark.encode(), mark.upper().encode(), mark.encode().hex().encode(), mark.encode("utf-16-le")]
    for shift in range(3):
        # Only the middle of a base64 text is independent of what surrounds it.
        spellings.append(base64.b64encode(b"-" * shift + mark.encode())[4:-4])
    found: dict[str, int] = {}
    looked = 0
    for folder in (farm.home, farm.run, farm.said):
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            looked += 1
            count = sum(data.count(spelling) for spelling in spellings)
            if count:
                found[str(path.relative_to(farm.home.parent))] = count
    assert looked >= 500, f"only {looked} files were searched"
    return found
