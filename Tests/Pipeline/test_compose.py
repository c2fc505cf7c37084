"""The farm server as people deploy it: compose.yaml, the real images, a Docker of its own, one published port.

Needs root, and a machine where Docker runs; `FURROW_COMPOSE=1` asks for it. It takes minutes, most of them a build.
"""

import json
import os
import subprocess

import pytest
from client import Client, until
from engine import Engine
from load import Load, check_hub, prepare
from stack import Stack
from tags import Tag
from verify import verify_label, verify_passport

pytestmark = pytest.mark.skipif(
    not os.environ.get("FURROW_COMPOSE") or os.geteuid() != 0,
    reason="SKIPPED compose (needs root and FURROW_COMPOSE=1; deploy/test runs it)")

INGEST = 3
#: With the database; without init, which ends.
OTHERS = ["postgres", "trace-ledger", "catalog-orders", "recommender", "sync-gateway"]
#: Ids that have to be acknowledged around the kills.
ACKNOWLEDGED = 10_000


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    """None of this machine's: the images have their own."""


@pytest.fixture(scope="module")
def stack():
    engine = Engine()
    try:
        engine.start().make_bases()
        stack = Stack(engine)
        stack.build()
        try:
            engine.timed("up", lambda: stack.up(INGEST, OTHERS))
            yield stack
        finally:
            # Shown where something failed.
            print(stack.logs())
            stack.down()
    finally:
        engine.stop()


@pytest.fixture(scope="module")
def farm(stack) -> Stack:
    """With a farm, a plot and an administrator, who came by the set-up link."""
    prepare(stack)
    return stack


def test_every_container_may_do_as_little_as_it_can(stack):
    containers = stack.inspected()
    published = {}
    for one in containers:
        host, config, name = one["HostConfig"], one["Config"], one["Config"]["Labels"]["com.docker.compose.service"]
        assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"] and not host["CapAdd"], name
        assert "no-new-privileges:true" in host["SecurityOpt"] and not host["Privileged"], name
        assert config["User"] in ("10001:10001", "10002:10001"), name
        assert 0 < host["Memory"] <= 1 << 30 and 0 < host["PidsLimit"] <= 200, name
        assert host["LogConfig"]["Config"] == {"max-size": "10m", "max-file": "5"}, name
        if name == "init":
            assert one["State"]["ExitCode"] == 0 and not one["State"]["Running"]
            continue
        assert one["State"]["Health"]["Status"] == "healthy", name
        secrets = {mount["Name"].removeprefix("furrow_"): mount["RW"] for mount in one["Mounts"]
                   if mount["Destination"] in ("/secrets", "/public")}
        assert secrets == {f"{name}-keys": False} | ({} if name == "postgres" else {"public-keys": False}), name
        assert not [line for line in config["Env"] if "PASSWORD" in line.upper()], name
        ports = {port: where for port, where in one["NetworkSettings"]["Ports"].items() if where}
        if ports:
            published[name] = ports
        networks = {network.removeprefix("furrow_") for network in one["NetworkSettings"]["Networks"]}
        assert networks == {"bus"} | {"sensor-ingest": {"field"}, "sync-gateway": {"edge"}}.get(name, set()), name
    print("seconds:", {what: round(seconds) for what, seconds in stack.engine.seconds.items()})
    print(f"{len(containers)} containers: read-only, without capabilities, with limits; published: {list(published)}")
    assert len(containers) == INGEST + len(OTHERS) + 1
    assert list(published) == ["sync-gateway"] and list(published["sync-gateway"]) == ["8080/tcp"]
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
    assert audited["ok"] and len(audited["journals"]) >= INGEST + len(OTHERS) and len(audited["views"]) >= 30


def test_new_keys_for_everybody_lose_nothing(farm):
    before = published_keys(farm)
    farm.compose("run", "--rm", "init")
    assert published_keys(farm) == before, "without being told to, init makes only what is missing"
    load = Load(farm, gateways=3, growers=0, adverts=16, takes_over=True, family=0xD8).start()
    until(lambda: load.count >= 300 or load.failures, 60, "300 acknowledged")
    farm.compose("run", "--rm", "init", "furrow", "init", "--rotate")
    after = published_keys(farm)
    reached = load.count
    until(lambda: load.count >= reached + 1000 or load.failures, 120, "1000 more acknowledged under the new keys")
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged, seconds=120)
    until(lambda: farm.all_healthy(INGEST + len(OTHERS)), 60, "everybody to be healthy under the new keys", pause=1)
    print(f"{len(after)} keys before and after, none the same; acknowledged and in the hub once: {counts}")
    assert len(before) == len(after) >= len(OTHERS) and before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())
    farm.audited()


def published_keys(farm) -> dict[str, str]:
    text = subprocess.run(
        ["docker", "exec", farm.ids("sync-gateway")[0], "cat", "/public/services"], env=farm.environment,
        capture_output=True, text=True, check=True).stdout
    keys = [line.split() for line in text.splitlines()]
    assert len({name for name, _ in keys}) == len(keys), "a key that has left is still listed"
    return dict(keys)


def test_a_stranger_on_the_bus_and_the_wrong_service_are_refused(farm):
    wrong = farm.furrow("setup-link", at="sensor-ingest")
    assert wrong.returncode == 1 and b"may not ask" in wrong.stderr, (wrong.returncode, wrong.stderr)
    # Keys of its own, and the true public ones of everybody else: what somebody has who got onto the bus.
    script = ("mkdir -p /tmp/k/stranger /tmp/p && FURROW_KEYS=/tmp/k FURROW_PUBLIC_KEYS=/tmp/p furrow init && "
              "FURROW_KEYS=/tmp/k/stranger FURROW_PUBLIC_KEYS=/public FURROW_BUS_PORT=7100 furrow {words}")
    answers = {}
    for words in ("replay --origin hub", "setup-link", "status"):
        done = subprocess.run(
            ["docker", "run", "--rm", "--network", "furrow_bus", "--volume", "furrow_public-keys:/public:ro",
             "furrow:local", "sh", "-c", script.format(words=words)],
            env=farm.environment, capture_output=True, text=True, timeout=120)
        answers[words] = (done.returncode, done.stdout.splitlines()[1:], done.stderr[-200:])
    print(f"a stranger's answers: { {words: code for words, (code, _, _) in answers.items()} }")
    assert answers["replay --origin hub"][0] == 3 and answers["setup-link"][0] == 3, answers
    assert answers["status"][0] == 1 and not [line for line in answers["status"][1] if line.startswith("answers")]
    # Without any key no door over TCP is opened or dialled.
    bare = subprocess.run(
        ["docker", "run", "--rm", "--network", "furrow_bus", "--env", "FURROW_BUS_PORT=7100", "furrow:local",
         "sensor-ingest"], env=farm.environment, capture_output=True, text=True, timeout=60)
    assert bare.returncode == 2 and "FURROW_KEYS is not set" in bare.stderr, (bare.returncode, bare.stderr)


def test_the_ingest_process_that_is_left_watches_over_limits(farm):
    """Points, rules and alarms are slot 0's. Compose stops the newest containers, whichever slots they have."""
    def slots() -> list[str]:
        said = json.loads(farm.furrow("status", "--json").stdout or b"{}").get("answering", [])
        return [name for name in said if name.startswith("sensor-ingest/")]

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
