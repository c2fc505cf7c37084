"""furrow-hub with a folder into which cameras write: each picture is recorded once, and nothing is lost on the way."""

import os
import re
import shlex
import subprocess
import time
from datetime import datetime
from pathlib import Path

import pytest
from client import until
from farm import PROGRAMS, ROOT, Farm
from test_hub import Hub
from test_photographs import creek, jpeg, listed

PLACES = {"plot/south": "plot/south/mast", "store/cold": "store/cold"}


@pytest.fixture
def farm(own_farm):
    return creek(own_farm)


def put(folder: Path, path: str, body: bytes, age: float = 60) -> Path:
    """Writes a file as a camera does, and makes it some seconds old."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)
    os.utime(file, (time.time() - age, time.time() - age))
    return file


class CameraHub(Hub):
    """A hub without a radio that watches a folder."""

    def __init__(self, farm: Farm, folder: Path, token: str):
        address = f"http://127.0.0.1:{farm.port}"
        super().__init__(address, folder, token)
        self.folder = folder / "cameras"
        self.folder.mkdir()
        self.words = ["--farm", address, "--controller", "none", "--token", folder / "token", "--home",
                      self.home, "--cameras", self.folder]

    @property
    def cameras(self) -> dict:
        return self.status().get("cameras", {}) if (self.home / "status.json").exists() else {}


@pytest.fixture
def hub(farm, tmp_path):
    token = farm.staff.make("POST", "/v1/gateways", {"gateway": "field-1"})["token"]
    hub = CameraHub(farm, tmp_path, token)
    yield hub
    if hub.process and hub.process.poll() is None:
        hub.end()


def test_pictures_in_the_folder_are_recorded_once_while_the_farm_is_away_and_the_hub_is_killed(farm, hub):
    count = 12
    for number in range(count):
        for path in PLACES.values():
            put(hub.folder, f"{path}/{number:04}.JPG", jpeg(80, 60, seed=number), age=3_600 - number * 60)
    (gateway,) = [origin for origin in farm.services if origin.startswith("sync-gateway")]
    hub.start()
    until(lambda: any(len(listed(farm.staff, place)) for place in PLACES), 60, "the first picture")
    hub.end(9)
    farm.kill(gateway)
    hub.start()
    until(lambda: farm.ready(gateway), 60, "the gateway after the kill")
    farm.staff = farm.client()
    until(lambda: not list(hub.folder.rglob("*.JPG")), 120, "an empty folder")
    hub.end()
    for place in PLACES:
        items = listed(farm.staff, place)
        assert len(items) == count, f"{len(items)} of {count} photographs of {place}"
        assert [one["taken"] for one in items] == sorted((one["taken"] for one in items), reverse=True)
        assert {one.get("camera") for one in items} == {"mast" if place == "plot/south" else "field-1"}
    assert 3_300 < time.time() - newest(items[-1]["taken"]) < 4_200
    print(f"cameras: {2 * count} pictures recorded once, through 2 kills; the hub used {hub.status()['cameras']}")


def newest(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_what_the_farm_does_not_take_stays_in_the_folder_and_is_explained(farm, hub, tmp_path):
    damaged = put(hub.folder, "plot/south/a-broken.jpg", b"no picture")
    large = put(hub.folder, "plot/south/b-large.jpg", bytes((12 << 20) + 1))
    unknown = put(hub.folder, "plot/west/1.jpg", jpeg(80, 60, seed=3))
    secret = put(tmp_path, "secret.jpg", jpeg(80, 60, seed=4))
    (hub.folder / "plot/south/link.jpg").symlink_to(secret)
    (hub.folder / "store").symlink_to(tmp_path)
    fresh = put(hub.folder, "plot/south/fresh.jpg", jpeg(80, 60, seed=5), age=-3_600)
    notes = put(hub.folder, "plot/south/notes.txt", b"notes")
    put(hub.folder, "plot/south/c-good.jpg", jpeg(80, 60, seed=6))
    hub.start()
    until(lambda: hub.cameras.get("refused") == 2, 60, "two refused pictures")
    until(lambda: "west" in hub.cameras.get("trouble", ""), 60, "a place that is unknown")
    assert not damaged.exists() and damaged.with_name("a-broken.jpg.refused").exists()
    assert not large.exists() and large.with_name("b-large.jpg.refused").exists()
    assert unknown.exists() and notes.exists() and secret.exists()
    reasons = " ".join(line["reason"] for line in hub.lines("farm refused a picture"))
    assert "PNG" in reasons and "12 MiB" in reasons, reasons
    farm.staff.make("POST", "/v1/plots", {"farm": "creek", "plot": "west", "title": "West"})
    until(lambda: not unknown.exists(), 120, "the picture of the plot that is known now")
    until(lambda: hub.cameras.get("trouble") is None, 60, "no trouble")
    assert len(listed(farm.staff)) == 2 and not fresh.exists(), "also a picture of a camera whose clock is ahead"


def test_the_recipes_of_the_readme_work_as_they_are_written(farm, tmp_path):
    chapter = re.search(r"^### Photographs\n(.*?)^### ", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert chapter
    by_post, by_folder = re.findall(r"^```\n(.*?)^```", chapter[1], re.MULTILINE | re.DOTALL)
    token = farm.staff.make("POST", "/v1/gateways", {"gateway": "mast"})["token"]
    (tmp_path / "picture.jpg").write_bytes(jpeg(400, 300))
    (tmp_path / "hub.token").write_text(token)
    own = {"https://FARM": f"http://127.0.0.1:{farm.port}", "TOKEN": token, "/srv/cameras": str(tmp_path / "cameras"),
           "/etc/furrow-hub.token": str(tmp_path / "hub.token"), "furrow-hub --farm": f"{PROGRAMS}/furrow-hub --farm"}
    for name, value in own.items():
        by_post, by_folder = by_post.replace(name, value), by_folder.replace(name, value)
    subprocess.run(by_post, shell=True, check=True, cwd=tmp_path, timeout=30, capture_output=True)
    assert [one["camera"] for one in listed(farm.staff)] == ["mast"]
    put(tmp_path / "cameras", "plot/south/mast/0001.jpg", jpeg(400, 300, seed=2))
    with subprocess.Popen([*shlex.split(by_folder), "--home", tmp_path / "home"]) as hub:
        until(lambda: len(listed(farm.staff)) == 2, 30, "the picture of the folder")
        hub.terminate()
        assert hub.wait(30) == 0
    assert not (tmp_path / "cameras/plot/south/mast/0001.jpg").exists()
