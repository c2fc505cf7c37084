"""The page's own verification code against published vectors and against Python's cryptography."""

import base64
import json
import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import utils
from signed_log import P256, FarmLog, LabelKey, b64, consistency_proof, inclusion_path, root_of, sha256

pytestmark = pytest.mark.shared
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "tlog" / "merkle"


@pytest.fixture
def page(gateway, new_phone):
    page = new_phone(service_workers="block").new_page()
    page.goto(gateway.url + "/assets/story.html")
    return page


MERKLE = """async (cases) => {
    const { rootOfInclusion, isConsistent } = await import("/assets/js/verify/merkle.js");
    const { equal, fromBase64 } = await import("/assets/js/verify/bytes.js");
    const list = (all) => (all ?? []).map(fromBase64);
    const verdicts = [];
    for (const one of cases) {
        if (one.kind === "inclusion") {
            const [index, size] = [BigInt(one.index), BigInt(one.size)];
            const root = await rootOfInclusion(fromBase64(one.leaf), index, size, list(one.proof));
            verdicts.push(root !== null && equal(root, fromBase64(one.root)));
        } else {
            const earlier = { size: BigInt(one.size1), root: fromBase64(one.root1) };
            const later = { size: BigInt(one.size2), root: fromBase64(one.root2) };
            verdicts.push(await isConsistent(earlier, later, list(one.proof)));
        }
    }
    return verdicts;
}"""


def test_merkle_proofs_agree_with_the_published_vectors(page):
    if not DATA.is_dir():
        print(f"SKIPPED: the published vectors are not here ({os.path.relpath(DATA)})")
        pytest.skip("no published vectors")
    cases, wanted, names = [], [], []
    for kind in ("inclusion", "consistency"):
        for file in sorted((DATA / "testdata" / kind).rglob("*.json")):
            vector = json.loads(file.read_text())
            proof = vector.get("proof") or []
            if kind == "inclusion":
                cases.append({"kind": kind, "leaf": vector["leafHash"], "index": str(vector["leafIdx"]),
                              "size": str(vector["treeSize"]), "root": vector["root"], "proof": proof})
            else:
                cases.append({"kind": kind, "size1": str(vector["size1"]), "size2": str(vector["size2"]),
                              "root1": vector["root1"], "root2": vector["root2"], "proof": proof})
            wanted.append(not vector["wantErr"])
            names.append(str(file.relative_to(DATA)))
    found = page.evaluate(MERKLE, cases)
    wrong = [name for name, have, want in zip(names, found, wanted, strict=True) if have != want]
    assert wrong == []
    print(f"published Merkle vectors checked: {len(cases)}, {sum(wanted)} of them good")
    assert len(cases) >= 190 and sum(wanted) >= 10


def test_merkle_proofs_of_all_small_trees_are_accepted_and_no_shifted_one(page):
    leaves = [sha256(b"\x00", bytes([number])) for number in range(20)]
    cases, wanted = [], []
    for size in range(1, len(leaves) + 1):
        tree, root = leaves[:size], b64(root_of(leaves[:size]))
        for index in range(size):
            proof = [b64(hash) for hash in inclusion_path(index, tree)]
            cases.append({"kind": "inclusion", "leaf": b64(tree[index]), "index": str(index), "size": str(size),
                          "root": root, "proof": proof})
            wanted.append(True)
            other = (index + 1) % size
            cases.append({"kind": "inclusion", "leaf": b64(tree[index]), "index": str(other), "size": str(size),
                          "root": root, "proof": proof})
            wanted.append(other == index)
        for earlier in range(1, size + 1):
            cases.append({"kind": "consistency", "size1": str(earlier), "size2": str(size),
                          "root1": b64(root_of(leaves[:earlier])), "root2": root,
                          "proof": [b64(hash) for hash in consistency_proof(earlier, tree)]})
            wanted.append(True)
    assert page.evaluate(MERKLE, cases) == wanted
    print(f"Merkle proofs of small trees checked: {len(cases)}")
    assert len(cases) >= 600


LABELS = """async ({ paths, keys }) => {
    const { readLabel, verifyLabel } = await import("/assets/js/verify/label.js");
    const { readKeys } = await import("/assets/js/verify/keys.js");
    const ring = readKeys(keys);
    const verdicts = [];
    for (const path of paths) {
        try {
            const label = readLabel(path);
            if (label.kid !== null) await verifyLabel(label, ring);
            verdicts.push(label.kid === null ? "unsigned" : "good");
        } catch (refusal) {
            verdicts.push(refusal.code ?? String(refusal));
        }
    }
    return verdicts;
}"""


def test_labels_signed_by_another_implementation_verify(page):
    log = FarmLog()
    key = log.label_key
    good = [key.path("08412345678905", f"L{number}-A", f"{number:013d}" if number % 2 else None)
            for number in range(200)]
    found = page.evaluate(LABELS, {"paths": good, "keys": log.keys()})
    assert found == ["good"] * 200
    print(f"labels verified: {len(found)}")


def test_addresses_that_are_no_labels_are_refused(page):
    log = FarmLog()
    good = log.label_key.path("08412345678905", "L1", None)
    bad = [
        "/", "/01/", "/01/08412345678905", "/01/08412345678905/10/", "/01/08412345678904/10/L1",
        "/01/8412345678905/10/L1", "/01/08412345678905/10/L1/21/", "/01/08412345678905/10/L_1",
        "/01/08412345678905/10/" + "L" * 21, "/01/08412345678905/21/X/10/L1", "/x/01/08412345678905/10/L1",
        "/01/08412345678905/10/%4C1", good.replace("/S1", "/S2"), "/x" + good, good + "/21/A/B",
        good.replace("/S1FK01", "/S1FK0"), good.replace("/S1FK01", "/S1"),
        good.split("/01/")[0] + "1/01/08412345678905/10/L1",
    ]
    found = page.evaluate(LABELS, {"paths": bad, "keys": log.keys()})
    assert found == ["label-malformed"] * len(bad)
    assert page.evaluate(LABELS, {"paths": [good, good + "/", good.lower(), "/01/08412345678905/10/L1"],
                                  "keys": log.keys()}) == ["good", "good", "good", "unsigned"]
    print(f"addresses refused: {len(bad)}")


def test_a_signature_over_another_text_is_forged(page):
    log = FarmLog()
    other = LabelKey("FK01")
    paths = [other.path("08412345678905", "L1", None), log.label_key.path("08412345678905", "L1", "A")[:-2],
             log.label_key.path("08412345678905", "L1", None) + "/21/A"]
    der = log.label_key.private.sign(b"v1|https://ID.GS1.ORG/01/08412345678905/10/L1|FK01", P256)
    r, s = utils.decode_dss_signature(der)
    code = base64.b32encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode().rstrip("=")
    paths.append(f"/S1FK01{code}/01/08412345678905/10/L1")
    found = page.evaluate(LABELS, {"paths": paths, "keys": log.keys()})
    assert found[0] == found[2] == found[3] == "label-forged" and found[1] in ("label-malformed", "label-forged")


NOTES = """async ({ notes, keys }) => {
    const { openCheckpoint } = await import("/assets/js/verify/note.js");
    const { readKeys } = await import("/assets/js/verify/keys.js");
    const ring = readKeys(keys);
    const verdicts = [];
    for (const note of notes) {
        try {
            verdicts.push(String((await openCheckpoint(note, ring)).size));
        } catch (refusal) {
            verdicts.push(refusal.code ?? String(refusal));
        }
    }
    return verdicts;
}"""


def test_checkpoints_are_believed_with_the_farms_p256_line_and_not_without(page):
    log = FarmLog()
    log.fill(9)
    note = log.checkpoint()
    text, lines = note.split("\n\n")
    ed25519, p256 = lines.splitlines()
    stranger = FarmLog(log.name)
    stranger.fill(9)
    foreign = stranger.checkpoint().splitlines()[-1]
    witness = "— witness.example " + b64(b"\x01\x02\x03\x04" + bytes(64))
    cases = {
        note: "9", f"{text}\n\n{p256}\n": "9", f"{text}\n\n{witness}\n{p256}\n{ed25519}\n": "9",
        f"{text}\n\n{foreign}\n{p256}\n": "9", f"{text}\n\n{ed25519}\n": "checkpoint-unsigned",
        f"{text}\n\n{foreign}\n": "checkpoint-unsigned", f"{text}\n\n{witness}\n": "checkpoint-unsigned",
        stranger.checkpoint(): "checkpoint-unsigned", f"{text}\n{p256}\n": "checkpoint-malformed",
        f"{text}\n\n{p256}": "checkpoint-malformed", f"{text}\n\n{p256}\r\n": "checkpoint-malformed",
        f"{text}\n\n-{p256[1:]}\n": "checkpoint-malformed", "": "checkpoint-malformed",
    }
    assert page.evaluate(NOTES, {"notes": list(cases), "keys": log.keys()}) == list(cases.values())
    elsewhere = FarmLog("other.example/log")
    elsewhere.p256 = log.p256
    elsewhere.name = "other.example/log"
    elsewhere.fill(3)
    found = page.evaluate(NOTES, {"notes": [elsewhere.checkpoint()], "keys": log.keys()})
    assert found == ["checkpoint-unsigned"]
    print(f"notes checked: {len(cases) + 1}")


def test_farm_times_are_turned_into_instants_across_clock_changes(page):
    cases = [
        ("2026-07-14T07:30", "Europe/Madrid", "2026-07-14T05:30:00.000Z"),
        ("2026-01-14T07:30", "Europe/Madrid", "2026-01-14T06:30:00.000Z"),
        ("2026-10-25T02:30", "Europe/Madrid", "2026-10-25T00:30:00.000Z"),
        ("2026-03-29T03:00", "Europe/Madrid", "2026-03-29T01:00:00.000Z"),
        ("2026-05-01T00:00", "Asia/Kathmandu", "2026-04-30T18:15:00.000Z"),
        ("2026-05-01T12:00", "Pacific/Kiritimati", "2026-04-30T22:00:00.000Z"),
        ("2026-05-01T12:00", "Pacific/Pago_Pago", "2026-05-01T23:00:00.000Z"),
        ("2026-05-01T12:00", "UTC", "2026-05-01T12:00:00.000Z"),
        ("", "UTC", None),
    ]
    found = page.evaluate("""async (cases) => {
        const { toInstant, toLocal } = await import("/assets/js/common/zones.js");
        return cases.map(([local, zone]) => {
            const instant = toInstant(local, zone);
            return [instant, instant && toLocal(instant, zone)];
        });
    }""", [list(case[:2]) for case in cases])
    assert found == [[instant, local if instant else None] for local, _, instant in cases]
