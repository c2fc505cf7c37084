/**
 * Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint): a text, a blank line, and a line
 * `— <name> base64(key id ‖ signature)` for each signature.
 */
import { equal, fromBase64, join, sha256, utf8 } from "./bytes.js";
import { insist } from "./failure.js";

const Limits = { noteBytes: 65_536, signatures: 64 };
const keyIDBytes = 4;

/**
 * @typedef {object} Checkpoint
 * @property {string} origin the log's name
 * @property {bigint} size
 * @property {Uint8Array} root 32 bytes
 */

/**
 * Parses a checkpoint and requires a signature of the farm's P-256 key. Signatures of unknown keys are ignored. An
 * invalid signature of a known key makes the checkpoint invalid, even if another signature is valid.
 * @param {unknown} note
 * @param {import("./keys.js").KeyRing} ring
 * @returns {Promise<Checkpoint>}
 * @throws {VerificationFailure} `checkpoint-malformed`, `checkpoint-unsigned`, `checkpoint-forged`,
 *     `checkpoint-of-another-log`
 */
export async function openCheckpoint(note, ring) {
    const { text, signatures } = split(note);
    const message = utf8(text);
    let isSigned = false;
    for (const signature of signatures) {
        for (const key of ring.checkpointKeys) {
            if (key.name !== signature.name || !equal(await keyID(key), signature.keyID)) continue;
            const verdict = await verifies(key, signature.bytes, message);
            insist(verdict !== false, "checkpoint-forged");
            if (verdict && key.type === "p256") isSigned = true;
        }
    }
    insist(isSigned, "checkpoint-unsigned");
    const checkpoint = readCheckpoint(text);
    insist(checkpoint.origin === ring.hub, "checkpoint-of-another-log");
    return checkpoint;
}

/**
 * @param {unknown} note
 * @returns {{text: string, signatures: {name: string, keyID: Uint8Array, bytes: Uint8Array}[]}}
 */
function split(note) {
    insist(typeof note === "string" && note.length <= Limits.noteBytes, "checkpoint-malformed");
    insist(!/[\u0000-\u0009\u000b-\u001f]/.test(note), "checkpoint-malformed");
    const end = note.lastIndexOf("\n\n");
    insist(end > 0 && note.endsWith("\n"), "checkpoint-malformed");
    const lines = note.slice(end + 2, -1).split("\n");
    insist(lines.length >= 1 && lines.length <= Limits.signatures, "checkpoint-malformed");
    const signatures = lines.map((line) => {
        const parts = line.split(" ");
        const bytes = parts.length === 3 && parts[0] === "—" && parts[1] !== "" ? fromBase64(parts[2]) : null;
        insist(bytes && bytes.length > keyIDBytes, "checkpoint-malformed");
        return { name: parts[1], keyID: bytes.slice(0, keyIDBytes), bytes: bytes.slice(keyIDBytes) };
    });
    return { text: note.slice(0, end + 1), signatures };
}

/** @param {string} text @returns {Checkpoint} */
function readCheckpoint(text) {
    const lines = text.split("\n");
    const root = fromBase64(lines[2]);
    const isSize = /^(0|[1-9][0-9]{0,18})$/.test(lines[1]);
    const isGood = lines.length >= 4 && lines[0] !== "" && isSize && root?.length === 32;
    insist(isGood && !lines.slice(0, -1).includes(""), "checkpoint-malformed");
    return { origin: lines[0], size: BigInt(lines[1]), root };
}

/**
 * @param {import("./keys.js").CheckpointKey} key
 * @returns {Promise<Uint8Array>} the key id: 4 bytes
 */
async function keyID(key) {
    const named = key.type === "p256" ? key.bytes : join(utf8(`${key.name}\n`), Uint8Array.of(1), key.bytes);
    return (await sha256(named)).slice(0, keyIDBytes);
}

/** @returns {Promise<boolean|null>} null if the browser does not support the algorithm (Ed25519) */
async function verifies(key, signature, message) {
    if (key.type === "p256") {
        const raw = rawFromDER(signature);
        if (!raw) return false;
        const algorithm = { name: "ECDSA", namedCurve: "P-256" };
        const publicKey = await crypto.subtle.importKey("spki", key.bytes, algorithm, false, ["verify"]);
        return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, publicKey, raw, message);
    }
    let publicKey;
    try {
        publicKey = await crypto.subtle.importKey("raw", key.bytes, { name: "Ed25519" }, false, ["verify"]);
    } catch {
        return null;
    }
    return crypto.subtle.verify({ name: "Ed25519" }, publicKey, signature, message);
}

/**
 * Converts an ECDSA signature from DER to the format of WebCrypto.
 * @param {Uint8Array} der SEQUENCE of two INTEGERs, canonical (ITU-T X.690)
 * @returns {Uint8Array|null} r ‖ s, 64 bytes; null if the encoding is invalid
 */
export function rawFromDER(der) {
    if (der.length < 8 || der.length > 72 || der[0] !== 0x30 || der[1] !== der.length - 2) return null;
    const raw = new Uint8Array(64);
    let at = 2;
    for (const end of [32, 64]) {
        const length = der[at + 1];
        if (der[at] !== 0x02 || !(length >= 1) || at + 2 + length > der.length) return null;
        let number = der.subarray(at + 2, at + 2 + length);
        if (number[0] & 0x80) return null;
        if (length > 1 && number[0] === 0) {
            if (!(number[1] & 0x80)) return null;
            number = number.subarray(1);
        }
        if (number.length > 32) return null;
        raw.set(number, end - number.length);
        at += 2 + length;
    }
    return at === der.length ? raw : null;
}
