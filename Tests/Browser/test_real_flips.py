"""One flipped bit in what a real server sends turns the page of a phone that was here before red."""

import json
import random
from typing import TypeVar

import pytest
from real_farm import LOT, until
from real_proxy import Proxy
from story_driver import StoryPage
from test_real_story import size_of
from test_story_flips import SEED, answer_flips, flip_b64, flip_character, label_flips

#: Each has to be among what was flipped.
PARTS = {
    "label signature", "label key", "label text", "passport bytes", "salt", "entry", "inclusion proof",
    "consistency proof", "checkpoint text", "checkpoint signature", "keys: ed25519", "keys: p256", "keys: label",
    "keys: hub",
}
FLOOR = 30
#: Of each part so many are tried here; the tests against the gateway of this folder try all.
EACH = 4
counts: dict[str, int] = {}
#: What became of an answer or a label.
Changed = TypeVar("Changed")


@pytest.fixture(scope="module")
def proxy(real_farm):
    proxy = Proxy(real_farm.server.port)
    yield proxy
    proxy.close()


@pytest.fixture
def visited(real_farm, proxy, new_phone):
    """A phone that has been here, in a log that has grown since."""
    proxy.change.clear()
    story = StoryPage(new_phone())
    assert story.open(proxy.url + real_farm.label_path(LOT)).tone == "good"
    before = size_of(real_farm)
    for _ in range(3):
        real_farm.write_down()
    until(lambda: size_of(real_farm) > before + 2, 10, "the log to be signed")
    yield story
    proxy.change.clear()
    assert story.problems == []


def few(flips: list[tuple[str, Changed]]) -> list[tuple[str, Changed]]:
    """Some of each part, spread over it."""
    parts: dict[str, list] = {}
    for name, changed in flips:
        parts.setdefault(name, []).append((name, changed))
    return [flip for some in parts.values() for flip in some[::-(-len(some) // EACH)]]


def insist_on_red(story: StoryPage, verdict, name: str, detail: object) -> None:
    assert verdict.tone == "bad" and verdict.title == "Not verified", f"{name}: {verdict} {str(detail)[:300]}"
    assert story.story_text().strip() == "" and "96 kg" not in story.whole_text(), name
    assert len(verdict.words.splitlines()[2]) > 20 and "failed" in verdict.checks.values(), f"{name}: {verdict.words}"
    counts[name] = counts.get(name, 0) + 1


def test_every_flipped_bit_of_the_evidence_is_red(real_farm, proxy, visited):
    chance = random.Random(SEED)
    kept = visited.remembered()
    since = next(size for name, size in kept["sizes"].items() if name.startswith("checkpoint "))
    honest = real_farm.anyone().get(f"/v1/lots/{LOT}/passport", since=since)
    for name, answer in few(answer_flips(honest, chance)):
        proxy.change["/passport"] = lambda _, changed=answer: json.dumps(changed).encode()
        insist_on_red(visited, visited.reload(), name, answer)
    assert visited.remembered() == kept, "nothing that failed is remembered"
    proxy.change["/passport"] = lambda body: body
    assert visited.reload().tone == "good", "the same phone, without a flip"


def test_every_flipped_bit_of_the_keys_is_red(proxy, visited):
    kept = visited.remembered()
    for name, flip in KEYS:
        def change(body: bytes, flip=flip) -> bytes:
            keys = json.loads(body)
            flip(keys)
            return json.dumps(keys).encode()
        proxy.change["/ledger/keys"] = change
        insist_on_red(visited, visited.reload(), name, flip)
    assert visited.remembered() == kept
    proxy.change.clear()
    assert visited.reload().tone == "good"


def flip_vkey(keys: dict, bit: int) -> None:
    key = next(key for key in keys["checkpointKeys"] if key["type"] == "ed25519")
    name, number, code = key["vkey"].split("+", 2)
    key["vkey"] = f"{name}+{number}+{flip_b64(code, bit)}"


def flip_spki(keys: dict, bit: int) -> None:
    key = next(key for key in keys["checkpointKeys"] if key["type"] == "p256")
    key["spki"] = flip_b64(key["spki"], bit)


def flip_label_key(keys: dict, index: int) -> None:
    key = keys["labelKeys"][0]
    key["publicKey"] = flip_character(key["publicKey"], index, 0)


KEYS = [
    *(("keys: ed25519", lambda keys, bit=bit: flip_vkey(keys, bit)) for bit in (0, 9, 100, 263)),
    *(("keys: p256", lambda keys, bit=bit: flip_spki(keys, bit)) for bit in (7, 190, 300, 727)),
    *(("keys: label", lambda keys, index=index: flip_label_key(keys, index)) for index in (0, 3, 40, 85)),
    ("keys: label", lambda keys: keys["labelKeys"][0].update(kid=flip_character(keys["labelKeys"][0]["kid"], 1, 0))),
    ("keys: hub", lambda keys: keys.update(hub=flip_character(keys["hub"], 2, 1))),
]


def test_every_flipped_bit_of_a_label_is_red(real_farm, proxy, visited):
    path = real_farm.label_path(LOT, box=1)
    for name, changed in few(label_flips(path, random.Random(SEED))):
        verdict = visited.open(proxy.url + changed)
        insist_on_red(visited, verdict, name, changed)
        assert verdict.checks["label"] == "failed"
    assert visited.open(proxy.url + path).tone == "good"


def test_enough_was_flipped():
    print(f"flipped bits found: {sum(counts.values())} {counts}")
    assert sum(counts.values()) >= FLOOR and counts.keys() >= PARTS
