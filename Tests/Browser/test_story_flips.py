"""One flipped bit anywhere in what is checked turns the page red and leaves no story on it."""

import base64
import random

import pytest
from cryptography.hazmat.primitives.asymmetric import utils
from farm import WEB
from gateway import LOT
from nightly import NIGHTLY
from signed_log import b64
from story_driver import StoryPage

pytestmark = pytest.mark.shared
SEED = 20260503
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def flip(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def flip_b64(text: str, bit: int) -> str:
    return b64(flip(base64.b64decode(text), bit))


def flip_character(text: str, index: int, bit: int) -> str:
    return text[:index] + chr(ord(text[index]) ^ (1 << bit)) + text[index + 1:]


def bits_of(chance: random.Random, count: int, length: int) -> list[int]:
    """Spread over all of it, first and last bit included."""
    return sorted({0, length * 8 - 1, *(chance.randrange(length * 8) for _ in range(count - 2))})


def answer_flips(answer: dict, chance: random.Random) -> list[tuple[str, dict]]:
    """Answers with one bit changed, by the part it lies in."""
    flips = []

    def add(name: str, **change) -> None:
        flips.append((name, answer | change))

    for bit in bits_of(chance, 14, len(base64.b64decode(answer["bytes"]))):
        add("passport bytes", bytes=flip_b64(answer["bytes"], bit))
    for bit in bits_of(chance, 8, 16):
        add("salt", salt=flip_b64(answer["salt"], bit))
    for index in sorted(chance.sample(range(len(answer["entry"])), 14)):
        add("entry", entry=flip_character(answer["entry"], index, chance.randrange(7)))
    for index, _ in enumerate(answer["proof"]):
        changed = list(answer["proof"])
        changed[index] = flip_b64(changed[index], chance.randrange(256))
        add("inclusion proof", proof=changed)
    for index, _ in enumerate(answer["consistency"]):
        changed = list(answer["consistency"])
        changed[index] = flip_b64(changed[index], chance.randrange(256))
        add("consistency proof", consistency=changed)
    for number in ("index", "size"):
        for bit in (0, 1, 4):
            add(number, **{number: answer[number] ^ (1 << bit)})
    add("hub", hub=flip_character(answer["hub"], 0, 1))
    flips += [(name, answer | {"checkpoint": note}) for name, note in note_flips(answer["checkpoint"], chance)]
    return flips


def note_flips(note: str, chance: random.Random) -> list[tuple[str, str]]:
    text, lines = note.split("\n\n")
    flips = []
    for index in sorted(chance.sample(range(len(text)), 14)):
        if text[index] != "\n":
            flips.append(("checkpoint text", flip_character(text, index, chance.randrange(5)) + "\n\n" + lines))
    ed25519, p256 = lines.splitlines()
    prefix, code = p256.rsplit(" ", 1)
    for bit in bits_of(chance, 18, len(base64.b64decode(code))):
        flips.append(("checkpoint signature", f"{text}\n\n{ed25519}\n{prefix} {flip_b64(code, bit)}\n"))
    prefix, code = ed25519.rsplit(" ", 1)
    for bit in (32, 200, 290, 540):
        flips.append(("second checkpoint signature", f"{text}\n\n{prefix} {flip_b64(code, bit)}\n{p256}\n"))
    return flips


def label_flips(path: str, chance: random.Random) -> list[tuple[str, str]]:
    stem, item = path.split("/01/")
    kid, code = stem[3:7], stem[7:]
    signature = base64.b32decode(code + "=")
    flips = [("label key", f"/S1{flip_character(kid, index, 0)}{code}/01/{item}") for index in range(4)]
    for bit in bits_of(chance, 12, 64):
        changed = base64.b32encode(flip(signature, bit)).decode().rstrip("=")
        flips.append(("label signature", f"/S1{kid}{changed}/01/{item}"))
    last = BASE32.index(code[-1])
    flips += [("label left-over bits", f"/S1{kid}{code[:-1]}{BASE32[last ^ bit]}/01/{item}") for bit in (1, 2, 4)]
    for index in chance.sample(range(len(item)), 14):
        changed = flip_character(item, index, 0)
        if changed[index].isalnum():
            flips.append(("label text", f"/S1{kid}{code}/01/{changed}"))
    flips += [("label cut", f"{stem[:-1]}/01/{item}"), ("label stretched", f"{stem}A/01/{item}")]
    return flips


@pytest.fixture
def visited(gateway, new_phone):
    """A phone that has been here, in a log that has grown since."""
    story = StoryPage(new_phone())
    assert story.open(gateway.story()).tone == "good"
    story.wait_for_worker()
    gateway.write_down(3)
    yield story
    assert story.problems == []


def insist_on_red(story: StoryPage, verdict, name: str, detail: object) -> None:
    assert verdict.tone == "bad" and verdict.title == "Not verified", f"{name}: {verdict} {str(detail)[:400]}"
    assert story.story_text().strip() == "" and "480 kg" not in story.whole_text(), name
    assert len(verdict.words.splitlines()[2]) > 20 and "failed" in verdict.checks.values(), f"{name}: {verdict.words}"


def some_of_each(flips: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """The first four flips of each part."""
    seen: dict[str, int] = {}
    for name, _ in flips:
        seen[name] = 0
    some = []
    for name, answer in flips:
        seen[name] += 1
        if seen[name] <= 4:
            some.append((name, answer))
    return some


def test_every_flipped_bit_of_an_answer_is_red(gateway, visited):
    chance = random.Random(SEED)
    kept = visited.remembered()
    since = next(size for name, size in kept["sizes"].items() if name.startswith("checkpoint "))
    honest = gateway.anyone().get(f"/v1/lots/{LOT}/passport", since=since)
    counts: dict[str, int] = {}
    flips = answer_flips(honest, chance)
    for name, answer in flips if NIGHTLY else some_of_each(flips):
        gateway.tamper["/passport"] = lambda _, changed=answer: changed
        insist_on_red(visited, visited.reload(), name, answer)
        counts[name] = counts.get(name, 0) + 1
    assert visited.remembered() == kept, "nothing that failed is remembered"
    gateway.tamper["/passport"] = lambda _: honest
    assert visited.reload().tone == "good", "the same answer without a flip"
    print(f"flipped bits found in answers: {sum(counts.values())} {counts}")
    assert sum(counts.values()) >= (80 if NIGHTLY else 30) and len(counts) >= 11


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


def test_every_flipped_bit_of_the_keys_is_red(gateway, visited):
    kept = visited.remembered()
    for name, flip in KEYS:
        gateway.tamper["/ledger/keys"] = lambda keys, flip=flip: [flip(keys), keys][1]
        insist_on_red(visited, visited.reload(), name, flip)
    assert visited.remembered() == kept
    gateway.tamper.clear()
    assert visited.reload().tone == "good"


def test_every_flipped_bit_of_a_label_is_red(gateway, visited):
    counts: dict[str, int] = {}
    for name, changed in label_flips(gateway.label_path(box=1), random.Random(SEED)):
        verdict = visited.open(gateway.url + changed)
        insist_on_red(visited, verdict, name, changed)
        assert verdict.checks["label"] == "failed"
        counts[name] = counts.get(name, 0) + 1
    print(f"flipped bits found in labels: {sum(counts.values())} {counts}")
    assert sum(counts.values()) >= 26 and len(counts) >= 6
    assert visited.open(gateway.story(box=1)).tone == "good"


#: A check taken out of the page, and an answer or label that only this check can find.
MUTANTS = {
    "label": ("label.js", 'insist(isGood, "label-forged");', None),
    "commitment": ("entry.js", 'insist(equal(await sha256(join(salt, bytes)), entry.commitment), "story-altered");',
                   lambda answer: answer | {"salt": flip_b64(answer["salt"], 7)}),
    "signature": ("note.js", 'insist(verdict !== false, "checkpoint-forged");\n            if (verdict && key',
                  lambda answer: answer | {"checkpoint": note_flips(answer["checkpoint"], random.Random(1))[-6][1]}),
    "inclusion": ("verify.js", 'insist(root && equal(root, checkpoint.root), "not-in-log");',
                  lambda answer: answer | {"proof": [flip_b64(answer["proof"][0], 9), *answer["proof"][1:]]}),
    "history": ("verify.js", 'insist(proof && (await isConsistent(earlier, checkpoint, proof)), "log-rewritten");',
                lambda answer: answer | {
                    "consistency": [flip_b64(answer["consistency"][0], 9), *answer["consistency"][1:]]}),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_each_check_is_the_one_that_finds_its_flip(gateway, new_phone, name):
    """The same page without that check shows the flipped answer in green: the tests above would notice its loss."""
    module, check, change = MUTANTS[name]
    context = new_phone(service_workers="block")
    story = StoryPage(context)
    assert story.open(gateway.story()).tone == "good"
    gateway.write_down(3)
    path = gateway.label_path()
    if change is None:
        path = path[:30] + BASE32[BASE32.index(path[30]) ^ 1] + path[31:]
    else:
        gateway.tamper["/passport"] = change
    assert story.open(gateway.url + path).tone == "bad"
    source = (WEB / "js" / "verify" / module).read_text()
    assert source.count(check) == 1
    mutant = source.replace(check, "if (key" if name == "signature" else "")
    context.route(f"**/js/verify/{module}",
                  lambda route: route.fulfill(body=mutant, content_type="text/javascript"))
    assert story.open(gateway.url + path).tone == "good"


def test_signatures_of_every_length_der_has_are_read(gateway, new_phone):
    """r and s with leading zeros have shorter spellings; the page's reader must know all of them."""
    page = new_phone(service_workers="block").new_page()
    page.goto(gateway.url + "/assets/story.html")
    chance = random.Random(SEED)
    lengths = [1, 31, 32, 32, 32, 20, 8]
    pairs = [tuple(chance.getrandbits(8 * chance.choice(lengths)) | 1 for _ in range(2)) for _ in range(300)]
    ders = [utils.encode_dss_signature(r, s).hex() for r, s in pairs]
    read = page.evaluate("""async (ders) => {
        const { rawFromDER } = await import("/assets/js/verify/note.js");
        const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
        return ders.map((der) => {
            const raw = rawFromDER(bytes(der));
            return raw && Array.from(raw, (byte) => byte.toString(16).padStart(2, "0")).join("");
        });
    }""", ders)
    assert read == [(r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex() for r, s in pairs]
    print(f"DER signatures read: {len(read)}, of {len({len(der) for der in ders})} lengths")
