"""Monitoring with Prometheus: valid metrics, and rules whose metrics exist."""

import json
import re
import shutil
import subprocess
import urllib.request

import pytest
import yaml
from client import until
from farm import ROOT

MONITORING = ROOT / "deploy" / "monitoring"
#: The package's tools are unpacked here, because the package itself would start a server.
UNPACKED = ROOT / ".build" / "prometheus"


@pytest.fixture(scope="module")
def promtool() -> str:
    if found := shutil.which("promtool"):
        return found
    tool = UNPACKED / "usr" / "bin" / "promtool"
    if not tool.exists():
        UNPACKED.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(["apt-get", "download", "prometheus"], cwd=UNPACKED, capture_output=True, timeout=300)
        packages = list(UNPACKED.glob("prometheus_*.deb"))
        if fetched.returncode != 0 or not packages:
            pytest.skip("SKIPPED promtool: there is none, and the package prometheus cannot be fetched")
        subprocess.run(["dpkg", "-x", packages[0], UNPACKED], check=True, timeout=300)
        packages[0].unlink()
    return str(tool)


def test_promtool_accepts_the_rules_and_each_warns_of_what_it_is_for(promtool):
    checked = subprocess.run([promtool, "check", "rules", MONITORING / "furrow.rules.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    count = int(re.search(r"(\d+) rules found", checked.stdout)[1])
    tested = subprocess.run(
        [promtool, "test", "rules", "furrow.test.yml"], cwd=MONITORING, capture_output=True, text=True)
    assert tested.returncode == 0 and "SUCCESS" in tested.stdout, tested.stdout + tested.stderr
    alerts = set(re.findall(r"alert: (\w+)", (MONITORING / "furrow.rules.yml").read_text()))
    fired = set(re.findall(r'alertname="(\w+)"', (MONITORING / "furrow.test.yml").read_text()))
    assert count == len(alerts) >= 15 and fired == alerts, f"never tested: {alerts - fired}"
    print(f"{count} rules, each fired in a test and quiet in another")


def test_in_a_compose_stack_prometheus_scrapes_every_service_at_its_port(promtool, tmp_path):
    checked = subprocess.run([promtool, "check", "config", MONITORING / "containers.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    compose = shutil.which("docker-compose")
    if compose is None:
        pytest.skip("SKIPPED docker-compose: there is none to read the files")
    files = ["-f", ROOT / "compose.yaml", "-f", ROOT / "deploy" / "compose.monitoring.yaml"]
    read = subprocess.run(
        [compose, "--project-directory", ROOT, *files, "config"], capture_output=True, text=True, timeout=60)
    assert read.returncode == 0, read.stderr
    stack = yaml.safe_load(read.stdout)["services"]
    asked = yaml.safe_load((MONITORING / "containers.yml").read_text())["scrape_configs"][0]["dns_sd_configs"][0]
    programs = {name for name, one in stack.items() if one.get("command") == ["furrow", "supervise", name]}
    assert set(asked["names"]) == programs and len(programs) == 5
    for name in programs:
        environment = stack[name]["environment"]
        assert environment["FURROW_OPS_ADDRESS"] == "0.0.0.0" and environment["FURROW_OPS_PORT"] == str(asked["port"])
        assert "bus" in stack[name]["networks"]
    assert "bus" in stack["prometheus"]["networks"] and stack["prometheus"]["read_only"] is True
    assert all("7090" not in str(one.get("ports", "")) for one in stack.values()), "metrics are served inside only"


def test_every_metric_that_a_rule_names_is_exported_by_a_running_service(shared, promtool):
    farm = shared.farm
    targets = json.loads(farm.furrow("status", "--targets").stdout)
    addresses = targets[0]["targets"]
    assert targets[0]["labels"] == {"job": "furrow"} and len(addresses) >= 3, targets

    def exported() -> dict[str, str]:
        return {one: urllib.request.urlopen(f"http://{one}/metrics", timeout=10).read().decode() for one in addresses}

    text = (MONITORING / "furrow.rules.yml").read_text()
    wanted = set(re.findall(r"\bfurrow_\w+", text))
    assert len(wanted) >= 14, wanted

    def missing() -> set[str]:
        have = {line.split("{")[0].split(" ")[0] for page in exported().values() for line in page.splitlines()
                if line and not line.startswith("#")}
        return wanted - have

    # Metrics are updated about once a second.
    until(lambda: not missing(), 20, f"metrics of the rules that no service exports: {missing()}", pause=0.5)
    pages = exported()
    for address, page in pages.items():
        checked = subprocess.run([promtool, "check", "metrics"], input=page, capture_output=True, text=True)
        trouble = [line for line in (checked.stdout + checked.stderr).splitlines() if "no help text" not in line]
        assert not trouble, f"{address}: {trouble}"
        names = set(re.findall(r"^# TYPE (\w+)", page, re.M))
        assert names and all(name.startswith("furrow_") for name in names), names
    series = sum(len(page.splitlines()) for page in pages.values())
    print(f"{len(wanted)} metrics of rules, all exported; {series} lines of {len(pages)} services, all accepted")
