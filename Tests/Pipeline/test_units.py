"""The systemd units: valid, sandboxed, and consistent with the command's own paths."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from farm import PROGRAMS, ROOT, run_folder

UNITS = ROOT / "deploy" / "systemd"
HOME = Path("/var/lib/furrow")


@pytest.fixture
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if not found:
        pytest.skip("SKIPPED systemd-analyze: there is none on this machine")
    return found


def test_systemd_accepts_the_units_and_rates_them_as_sandboxed(analyze, tmp_path):
    units = sorted([*UNITS.glob("*.service"), *UNITS.glob("*.timer")])
    assert len(units) == 5
    for unit in units:
        text = unit.read_text().replace("/opt/furrow/furrow", str(PROGRAMS / "furrow"))
        (tmp_path / unit.name).write_text(text)
    places = [tmp_path / unit.name for unit in units]
    verified = subprocess.run([analyze, "verify", *places], capture_output=True, text=True)
    assert verified.returncode == 0 and not verified.stderr.strip(), verified.stderr
    for unit in UNITS.glob("*.service"):
        # In tenths: systemd rates an exposure below 3.0 as fine.
        judged = subprocess.run(
            [analyze, "security", "--offline=true", "--threshold=25", tmp_path / unit.name], capture_output=True, text=True)
        assert judged.returncode == 0, judged.stdout[-600:]
    wrong = tmp_path / "wrong.service"
    wrong.write_text((tmp_path / "furrow.service").read_text().replace("Restart=on-failure", "Restart=on-failures"))
    assert subprocess.run([analyze, "verify", wrong], capture_output=True, text=True).stderr.strip()


@pytest.mark.parametrize("unit", ["furrow.service", "furrow-hub.service"])
def test_a_stick_may_be_plugged_in_after_the_start(unit):
    """`systemd.resource-control`: a device group is resolved at the start, and only a loaded driver has one."""
    text = (UNITS / unit).read_text()
    drivers = {"char-ttyUSB": "usbserial", "char-ttyACM": "cdc_acm"}
    for group, driver in drivers.items():
        assert f"DeviceAllow={group} rw" in text
        for order in ("Wants", "After"):
            assert re.search(rf"^{order}=.*\bmodprobe@{driver}\.service\b", text, re.M), f"{order} of {driver}"


def test_a_backup_may_go_to_any_disk_that_its_user_may_write():
    text = (UNITS / "furrow-backup.service").read_text()
    assert re.search(r"^EnvironmentFile=-/etc/furrow/furrow.env$", text, re.M) and "--to" not in text
    assert re.findall(r"^(?:ProtectSystem|ReadWritePaths|ReadOnlyPaths)=.*$", text, re.M) == ["ProtectSystem=full"]


def test_the_unit_runs_the_command_with_its_own_paths(analyze):
    text = (UNITS / "furrow.service").read_text()
    run = re.search(r"^RuntimeDirectory=(\S+)", text, re.M)[1]
    name = str(run_folder(HOME)).rsplit("/", 1)[1]
    assert run == f"furrow/{name}" and re.search(r"^Restart=on-failure$", text, re.M)
    for unit in UNITS.glob("*.service"):
        words = re.search(r"^ExecStart=/opt/furrow/(furrow [a-z-]+|furrow-hub|furrow-node) (.*)$", unit.read_text(), re.M)
        program, *command = words[1].split()
        told = subprocess.run([PROGRAMS / program, *command, "--help"], capture_output=True, text=True)
        assert told.returncode == 0
        for option in re.findall(r"--[a-z-]+", words[2]):
            assert option in told.stdout, f"{unit.name}: {words[1]} knows no {option}"
