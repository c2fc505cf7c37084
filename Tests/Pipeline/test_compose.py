"""The farm server as deployed: compose.yaml, the real images, a separate Docker daemon, one published port.

Needs root, and a machine where Docker runs; `FURROW_COMPOSE=1` enables it. The images contain the release programs of
this machine, or with `FURROW_NIGHTLY=1` those that the Dockerfile compiles.
"""

import json
import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from burnt import Burnt
from client import Client, until
from engine import Engine
from load import Load, check_hub, prepare
from moving import Moving, damaged, tls_answer
from stack import Stack, check_hardened, published_ports
from stack_pair import StackPair
from tags import Tag
from verify import verify_label, verify_passport
from watched import Watched

pytestmark = pytest.mark.skipif(not os.environ.get("FURROW_COMPOSE") or os.geteuid() != 0,
                                reason="SKIPPED compose (needs root and FURROW_COMPOSE=1; deploy/test runs it)")

INGEST = 3
#: Includes the database; without init, which ends.
OTHERS = ["postgres", "trace-ledger", "catalog-orders", "recommender", "sync-gateway", "backups"]
#: Services with a journal, the hub and keys of their own.
JOURNALS = [name for name in OTHERS if name != "backups"]
#: Services that prepare a stack and end.
ONE_SHOT = ["init", "backup-folder"]
#: The number of acknowledged ids around the kills.
ACKNOWLEDGED = 10_000


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    """Disables the check for programs on this machine: the images have their own."""


@pytest.fixture(scope="module")
def engine():
    """The engine, with built images."""
    engine = Engine()
    try:
        engine.start().make_images(Watched(engine))
        yield engine
    finally:
        engine.stop()


@pytest.fixture(scope="module")
def stack(engine):
    stack = Stack(engine)
    try:
        engine.timed("up", lambda: stack.up(INGEST, OTHERS))
        yield stack
    finally:
        # Shown if a test fails.
        print(stack.logs())
        stack.down()


@pytest.fixture
def watched(engine):
    """A stack with Prometheus, ended at once because its measurements are not needed."""
    watched = Watched(engine)
    try:
        engine.timed("watched up", lambda: watched.up(2, [*OTHERS, "prometheus"]))
        yield watched
    finally:
        print(watched.logs())
        watched.down()


@pytest.fixture(scope="module")
def moving(engine, tmp_path_factory):
    """A farm on one machine with a story, and an empty stack beside it."""
    moving = Moving(engine, tmp_path_factory.mktemp("backups"))
    try:
        yield moving
    finally:
        print(moving.stack.logs())
        moving.destroy()


@pytest.fixture
def burnt(engine):
    burnt = Burnt(engine, OTHERS)
    try:
        yield burnt
    finally:
        print(burnt.stack.logs(), burnt.restored.logs())
        burnt.down()


@pytest.fixture(scope="module")
def farm(stack) -> Stack:
    """The stack with a farm, a plot and an administrator, created with the set-up link."""
    prepare(stack)
    return stack


def test_every_container_has_minimal_rights(stack):
    containers = stack.inspected()
    published = {}
    for one in containers:
        config, name = one["Config"], check_hardened(one)
        if name in ONE_SHOT:
            assert one["State"]["ExitCode"] == 0 and not one["State"]["Running"]
            continue
        assert one["State"].get("Health", {}).get("Status") == (None if name == "backups" else "healthy"), name
        secrets = {mount["Name"].removeprefix("furrow_"): mount["RW"] for mount in one["Mounts"]
                   if mount["Destination"] in ("/secrets", "/public")}
        owner = "trace-ledger" if name == "backups" else name
        public = {} if name in ("postgres", "backups") else {"public-keys": False}
        assert secrets == {f"{owner}-keys": False} | public, name
        # The mail server's password is empty until an operator sets one.
        given = [line for line in config["Env"] if "PASSWORD" in line.upper() and not line.endswith("=")]
        assert not given, name
        if ports := published_ports(one):
            published[name] = ports
        networks = {network.removeprefix("furrow_") for network in one["NetworkSettings"]["Networks"]}
        assert networks == {"bus"} | {"sensor-ingest": {"field"}, "sync-gateway": {"edge"}}.get(name, set()), name
    print("seconds:", {what: round(seconds) for what, seconds in stack.engine.seconds.items()})
    print(f"{len(containers)} containers: read-only, without capabilities, with limits; published: {list(published)}")
    assert len(containers) == INGEST + len(OTHERS) + len(ONE_SHOT)
    assert published == {"sync-gateway": [("8080/tcp", "127.0.0.1")]}
    assert stack.engine.docker("network", "inspect", "--format", "{{.Internal}}", "furrow_bus").strip() == "true"


def test_the_story_of_a_lot_over_the_published_port(farm):
    client = farm.client()
    client.make("POST", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 60_000})
    client.make("POST", "/v1/lots/TOM-1/packings", {"boxes": 12, "gramsEach": 5000})
    labels = client.make("POST", "/v1/lots/TOM-1/labels", {})["labels"]
    anyone = Client(farm.port)
    keys = anyone.get("/ledger/keys")
    for label in labels:
        assert verify_label(label["url"], keys)[1:] == ("TOM-1", label["serial"])
    event, checkpoint = verify_passport(anyone.get("/v1/lots/TOM-1/passport"), keys)
    told = event["data"]["passport"]
    picture = client.call("GET", "/v1/lots/TOM-1/labels.pdf")
    chart = anyone.call("GET", "/assets/lib/dygraphs/dygraph.min.js")
    page = anyone.call("GET", "/" + labels[0]["url"].split("/", 3)[3])
    print(f"{len(labels)} labels, leaf {event['originpos']} of {checkpoint.size}, {checkpoint.signatures} signatures")
    assert told["lot"] == "TOM-1" and [step["what"] for step in told["custody"]] == ["harvested", "packed"]
    assert picture.status == 200 and picture.body.startswith(b"%PDF") and page.status == 200
    assert chart.status == 200 and len(chart.body) > 50_000, chart


def test_what_was_acknowledged_survives_the_death_of_an_ingest_process_and_of_the_gateway(farm):
    load = Load(farm, gateways=4, growers=1, adverts=16, takes_over=True).start()

    def grown(to: int) -> None:
        until(lambda: load.count >= to or load.failures, 300, f"{to} acknowledged")
        load.check()

    grown(ACKNOWLEDGED // 3)
    ingest = farm.kill(farm.ids("sensor-ingest")[1])
    grown(ACKNOWLEDGED * 2 // 3)
    gateway = farm.kill(farm.ids("sync-gateway")[0])
    grown(ACKNOWLEDGED)
    acknowledged = load.stop()
    counts = check_hub(farm, acknowledged, seconds=180)
    origins = {event["source"] for event in farm.replay() if event["source"].startswith("/sensor-ingest/")}
    print(f"acknowledged and in the hub once: {counts}, by {sorted(origins)}; healthy again after "
          f"{ingest:.1f} s (ingest) and {gateway:.1f} s (gateway)")
    assert sum(counts.values()) >= ACKNOWLEDGED and len(origins) >= INGEST
    audited = farm.audited()
    print(f"audit: {len(audited['journals'])} journals, {len(audited['views'])} tables equal")
    assert audited["ok"] and len(audited["journals"]) >= INGEST + len(JOURNALS) and len(audited["views"]) >= 30


def test_new_keys_for_all_services_lose_nothing(farm):
    before = farm.published_keys()
    farm.compose("run", "--rm", "init")
    assert farm.published_keys() == before, "without --rotate, init creates only what is missing"
    load = Load(farm, gateways=3, growers=0, adverts=16, takes_over=True, family=0xD8).start()
    until(lambda: load.count >= 300 or load.failures, 60, "300 acknowledged")
    farm.compose("run", "--rm", "init", "furrow", "init", "--rotate")
    after = farm.published_keys()
    reached = load.count
    until(lambda: load.count >= reached + 1000 or load.failures, 120, "1000 more acknowledged under the new keys")
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged, seconds=120)
    until(lambda: farm.all_healthy(INGEST + len(OTHERS)), 60, "healthy containers under the new keys", pause=1)
    print(f"{len(after)} keys before and after, none the same; acknowledged and in the hub once: {counts}")
    assert len(before) == len(after) >= len(JOURNALS) and before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())
    farm.audited()


def test_a_stranger_on_the_bus_and_the_wrong_service_are_refused(farm):
    wrong = farm.furrow("setup-link", at="sensor-ingest")
    assert wrong.returncode == 1 and b"may not ask" in wrong.stderr, (wrong.returncode, wrong.stderr)
    # Each waits for its deadline, because a refused peer gets no response.
    asked = ("replay --origin hub", "setup-link", "status")
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = dict(zip(asked, pool.map(farm.ask_as_stranger, asked), strict=True))
    print(f"a stranger's answers: { {words: code for words, (code, _, _) in answers.items()} }")
    assert answers["replay --origin hub"][0] == 3 and answers["setup-link"][0] == 3, answers
    assert answers["status"][0] == 1 and not [line for line in answers["status"][1] if line.startswith("ready")]
    # Without any key, no TCP endpoint is opened or connected.
    bare = subprocess.run(
        ["docker", "run", "--rm", "--network", "furrow_bus", "--env", "FURROW_BUS_PORT=7100", "furrow:local",
         "sensor-ingest"], env=farm.environment, capture_output=True, text=True, timeout=60)
    assert bare.returncode == 2 and "FURROW_KEYS is not set" in bare.stderr, (bare.returncode, bare.stderr)


def test_the_remaining_ingest_process_evaluates_rules(farm):
    """Points, rules and alarms belong to slot 0. Compose stops the newest containers, whatever slots they have."""
    def slots() -> list[str]:
        said = json.loads(farm.furrow("status", "--json").stdout or b"{}").get("services", {})
        return [name for name, one in said.items() if name.startswith("sensor-ingest/") and one["state"] == "ok"]

    before = slots()
    chief = next(one for one in farm.ids("sensor-ingest") if farm.origin(one) == "sensor-ingest/farm-0")
    farm.engine.docker("stop", chief)
    until(lambda: "sensor-ingest/farm-0" in slots(), 60, "another process to take slot 0", pause=1)
    farm.compose("up", "--detach", "--no-build", "--scale", "sensor-ingest=1")
    until(lambda: slots() == ["sensor-ingest/farm-0"], 90, "slot 0 alone", pause=1)
    client = farm.client()
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store", "cold": True})
    tag = Tag(7, family=0xE0)
    client.make("PUT", "/v1/points/door", {"title": "Door", "place": "store/s1", "device": tag.device})
    client.make("PUT", "/v1/rules/warm", {"place": "store/s1", "quantity": "temperature", "above": 12})
    client.make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=20)]})
    raised = until(lambda: [event for event in farm.replay() if event["type"].endswith("alarm-raised.v1")], 30,
                   "an alarm in the hub", pause=1)
    print(f"{before} became {slots()}; {len(raised)} alarm")
    assert len(before) == INGEST and len(raised) == 1 and raised[0]["source"] == "/sensor-ingest/farm-0"


def test_operators_run_commands_in_the_gateways_container(farm):
    status = json.loads(farm.furrow("status", "--json").stdout)
    assert status["ok"] and not status["missing"] and status["hub"] > 5 and status["backup"] == {}, status
    assert all(one["state"] == "ok" for one in status["services"].values()) and status["diskFree"] > 0
    # Without a backup, the backup needs attention at once, and nothing else does.
    code, checks = farm.doctor()
    assert code == 1 and [name for name, one in checks.items() if one["state"] == "act"] == ["backup"], checks
    assert set("running door journals parked versions address disk backup clock keys".split()) <= set(checks), checks
    assert "docker compose run --rm operator furrow backup" in checks["backup"]["advice"]
    made = farm.backed_up()
    assert made["set"].startswith("/backups/furrow-") and made["hub"] >= status["hub"], made
    code, checks = farm.doctor()
    assert code == 0 and checks["backup"]["state"] == "mind" and "same disk" in checks["backup"]["said"], checks
    assert "ago, /backups/furrow-" in farm.furrow("status").stdout.decode()
    page = farm.client().get("/v1/operations")
    assert page["backup"]["restored"] and "restoreFault" not in page["backup"], page["backup"]
    assert page["backup"]["path"] == made["set"] and page["backup"]["sameDisk"]

    # A stopped service is reported by name, with advice.
    farm.compose("stop", "recommender")
    code, checks = farm.doctor()
    assert code == 1 and "recommender" in checks["running"]["said"], checks["running"]
    assert "docker compose logs recommender" in checks["running"]["advice"]
    gone = farm.furrow("status", "--json")
    assert gone.returncode == 1 and "recommender" in str(json.loads(gone.stdout)["missing"])
    farm.compose("start", "recommender")
    until(lambda: farm.furrow("status").returncode == 0, 60, "the recommender to be back", pause=1)

    assert json.loads(farm.furrow("parked", "list", "--json").stdout) == {"items": [], "missing": []}
    elsewhere = {
        ("sync-gateway", "logs", "--follow", "trace-ledger"):
            b"docker compose logs --timestamps --follow --tail 200 trace-ledger",
        ("sync-gateway", "backup"): b"docker compose run --rm operator furrow backup",
        ("sync-gateway", "scale", "--ingest", "2"): b"docker compose up -d --scale sensor-ingest=2",
        ("sync-gateway", "stop"): b"docker compose stop",
        ("operator", "status"): b"docker compose exec sync-gateway furrow",
    }
    for (at, *words), hint in elsewhere.items():
        done = farm.operator("furrow", *words) if at == "operator" else farm.furrow(*words, at=at)
        assert done.returncode == 3 and hint in done.stderr, (words, done)
    print(f"{len(checks)} checks, {len(status['services'])} services, {made['bytes']} bytes backed up")


def test_container_logs_and_support_bundles_contain_no_secret(farm):
    person = {"name": "Nora Canary", "email": "nora.canary@farm.test", "password": "Pass-5f0c2a9e8b7d"}
    farm.client().make("POST", "/v1/accounts", person | {"role": "grower"})
    token = farm.sign_in(person).token
    wrong = Client(farm.port).call("POST", "/v1/sessions", {"email": person["email"], "password": "Wrong-5f0c2a9e"})
    assert wrong.status == 401
    # Secrets of single containers, read by the test, which can see all.
    secrets = farm.engine.docker(
        "run", "--rm", "--volume", "furrow_postgres-keys:/a", "--volume", "furrow_sync-gateway-keys:/b", "--volume",
        "furrow_trace-ledger-keys:/c", "furrow:local", "cat", "/a/password", "/b/curve", "/c/curve").split()
    canaries = [*secrets, token, person["name"], person["email"], person["password"], "Wrong-5f0c2a9e"]
    assert len(canaries) == 8 and all(len(one) >= 10 for one in canaries)
    written = farm.logs("all")
    planted = (f"x | password={person['password']}\nx | Authorization: Bearer {token}\n"
               f"x | of {person['email']}\nx | all is well\n")
    done = farm.furrow("support-bundle", "--logs", told=(written + planted).encode())
    bundle = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert written.count('"message":"ready"') >= len(JOURNALS) - 1, "the logs are incomplete"
    for text in (written, bundle):
        assert not [one for one in canaries if one in text]
    for part in ("== Doctor", "== Services", "== Log of all containers", "trace-ledger/farm-0 ok", "all is well",
                 "FURROW_KEYS=", "  feed hub at "):
        assert part in bundle, part
    print(f"{len(canaries)} canaries in none of {len(written)} bytes of logs and {len(bundle)} of the bundle")


def test_prometheus_scrapes_every_container_and_warns_of_a_stopped_service(watched):
    ports = {check_hardened(one): published_ports(one) for one in watched.inspected()}
    published = {name: where for name, where in ports.items() if where}
    assert published == {"sync-gateway": [("8080/tcp", "127.0.0.1")], "prometheus": [("9090/tcp", "127.0.0.1")]}
    asked = Counter({(name, "up"): 1 for name in JOURNALS if name != "postgres"} | {("sensor-ingest", "up"): 2})
    until(lambda: watched.targets() == asked, 60, "every container to be scraped", pause=1)
    until(lambda: set(watched.rules().values()) == {"ok"} and not watched.missing(), 60, "valid rules", pause=1)
    rules = watched.rules()
    watched.compose("stop", "recommender")
    until(lambda: watched.missing() == ["recommender"], 90, "a warning that the recommender is gone", pause=1)
    print(f"{asked.total()} containers scraped and up, {len(rules)} rules evaluated, 1 warning of {watched.missing()}; "
          f"{round(watched.engine.seconds['watched up'])} s until healthy")
    assert asked.total() >= 6 and len(rules) >= 15


def test_a_farm_moves_from_one_machine_into_containers_and_back(moving):
    before = moving.told()
    stack = moving.stack
    made = moving.back_up()
    # A set with a changed byte changes nothing, wherever the byte is.
    refused = 0
    for path, where, change in damaged(moving.folder):
        with change:
            done = stack.operator("furrow", "restore", moving.inside(made["set"]), "--json")
        said = json.loads(done.stdout)
        assert done.returncode == 1 and (said["file"], said["offset"]) == where, (path, where, done)
        refused += 1
    assert refused >= 5 and moving.volumes() == ""
    # A partly restored stack does not start; the next restore completes it.
    moving.break_off()
    half = stack.run("run", "--rm", "-T", "--no-deps", "sync-gateway", "sync-gateway", seconds=60)
    assert half.returncode == 2 and b"restore again" in half.stderr + half.stdout, half
    done = stack.operator("furrow", "restore", moving.inside(made["set"]))
    assert done.returncode == 0 and b"docker compose up -d" in done.stdout, done
    again = stack.operator("furrow", "restore", moving.inside(made["set"]))
    assert again.returncode == 3 and b"holds data already" in again.stderr, again
    stack.up(1, OTHERS)
    moved = moving.check(stack, made, before)

    # And back: changes made in containers are included.
    lot = stack.client().make("POST", "/v1/lots", {"lot": "LATER-1", "product": "Beans", "plot": "p1", "grams": 900})
    until(lambda: any(lot["lot"] in str(event["data"]) for event in stack.replay()), 30, "the lot in the hub", pause=1)
    made = stack.backed_up()
    home = moving.bring_home(made)
    returned = moving.check(home, made, before)
    assert any(lot["lot"] in str(event["data"]) for event in home.replay())
    print(f"{refused} damaged sets refused; {len(before.events)} events there, {moved} in containers, {returned} back; "
          f"{len(before.labels)} labels verified each time")


def test_backups_outlive_the_volumes_and_the_readmes_commands_restore_them(burnt):
    assert burnt.access() == (10001, 10001, 0o700)
    before, name = burnt.back_up()
    burnt.lose()
    assert {path.name for path in burnt.stack.backups.iterdir()} >= {name, f"{name}.vault"}
    after = burnt.restore(name)
    print(f"{name}: {len(before)} events before, {len(after)} after, in a new project")
    assert after[:len(before)] == before and len(before) >= 5


def test_pages_are_served_over_https_with_the_farms_own_ca_and_a_given_certificate(moving):
    """HTTPS uses a separate port, which is published only with the compose file for it."""
    stack = moving.stack
    authority = stack.run("exec", "-T", "sync-gateway", "cat", "/var/lib/furrow/ca.pem", seconds=60).stdout.decode()
    status, issuer = tls_answer(int(stack.environment["FURROW_HTTPS_PORT"]), authority)
    assert status == 200 and "Furrow" in issuer, (status, issuer)
    own = moving.certificate()
    stack.compose("up", "--detach", "--no-build")
    until(lambda: stack.all_healthy(1 + len(OTHERS)), 120, "the gateway with its own certificate", pause=1)
    status, given = tls_answer(int(stack.environment["FURROW_HTTPS_PORT"]), own)
    _, checks = stack.doctor()
    print(f"https by {issuer}, then by {given}; {checks['certificate']['said']}")
    assert status == 200 and given == "farm.test" and checks["certificate"]["state"] in ("ok", "mind")


@pytest.mark.nightly
def test_a_standby_in_containers_becomes_the_farm_server(engine):
    with StackPair(engine, OTHERS) as pair:
        lot = {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 60_000}
        pair.first.client().make("POST", "/v1/lots", lot)
        pair.has_sent()
        before = pair.first.replay()
        assert not pair.serves() and pair.back_up() >= len(before), "it serves no requests, and can be backed up"
        pair.first.compose("kill")
        said, after = pair.promote(), pair.second.replay()
        assert after[:len(before)] == before
        assert pair.second.client().get("/v1/me")["role"] == "administrator", "the session is the same"
        pair.second.client().make("POST", "/v1/lots", lot | {"lot": "TOM-2"})
        pair.second.audited()
        print(f"{len(before)} events before, {len(after)} after; {said}; the old machine: {pair.old_returns()}")
        assert len(before) >= 5
