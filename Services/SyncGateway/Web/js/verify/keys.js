/**
 * The farm's public keys. A phone stores them at its first visit (trust on first use). Later responses may add or
 * revoke label keys, and must not change other keys.
 */
import { equal, fromBase64, fromBase64URL } from "./bytes.js";
import { insist } from "./failure.js";

/** The size of a P-256 SubjectPublicKeyInfo and the offset of its point, in bytes (RFC 5480). */
const spki = { bytes: 91, point: 26 };
const pointBytes = 65;
const vkeyType = { ed25519: 1 };

/**
 * @typedef {object} CheckpointKey
 * @property {"p256"|"ed25519"} type
 * @property {string} name
 * @property {Uint8Array} bytes SubjectPublicKeyInfo (P-256) or 32 bytes (Ed25519)
 *
 * @typedef {object} LabelKey
 * @property {Uint8Array} publicKey uncompressed point, 65 bytes
 * @property {string|null} since
 * @property {{reason: string, at: string|null}|null} revoked
 *
 * @typedef {object} KeyRing
 * @property {string} hub the log's name
 * @property {CheckpointKey[]} checkpointKeys
 * @property {Map<string, LabelKey>} labelKeys by kid
 */

/**
 * Parses the response of `/ledger/keys`.
 * @param {any} answer
 * @returns {KeyRing}
 * @throws {VerificationFailure} `keys-malformed`
 */
export function readKeys(answer) {
    const hub = answer?.hub;
    insist(typeof hub === "string" && hub !== "" && Array.isArray(answer.checkpointKeys), "keys-malformed");
    insist(Array.isArray(answer.labelKeys), "keys-malformed");
    const checkpointKeys = answer.checkpointKeys.map(readCheckpointKey).filter((key) => key !== null);
    insist(checkpointKeys.some((key) => key.type === "p256"), "keys-malformed");
    const labelKeys = new Map();
    for (const key of answer.labelKeys) {
        const publicKey = fromBase64URL(key?.publicKey);
        insist(/^[A-Z0-9]{4}$/.test(key?.kid ?? "") && publicKey?.length === pointBytes, "keys-malformed");
        insist(!labelKeys.has(key.kid), "keys-malformed");
        labelKeys.set(key.kid, { publicKey, since: textOrNull(key.since), revoked: readRevocation(key.revoked) });
    }
    return { hub, checkpointKeys, labelKeys };
}

/**
 * Merges received keys into the stored ones. A revocation is never undone.
 * @param {KeyRing} stored the stored keys
 * @param {KeyRing} received the received keys
 * @returns {KeyRing}
 * @throws {VerificationFailure} `keys-changed` if a stored key is missing or differs
 */
export function mergeKeys(stored, received) {
    insist(stored.hub === received.hub, "keys-changed");
    insist(stored.checkpointKeys.length === received.checkpointKeys.length, "keys-changed");
    for (const key of stored.checkpointKeys) {
        const isUnchanged = received.checkpointKeys.some(
            (other) => other.type === key.type && other.name === key.name && equal(other.bytes, key.bytes));
        insist(isUnchanged, "keys-changed");
    }
    insist([...stored.labelKeys.keys()].every((kid) => received.labelKeys.has(kid)), "keys-changed");
    const labelKeys = new Map(stored.labelKeys);
    for (const [kid, key] of received.labelKeys) {
        const known = stored.labelKeys.get(kid);
        insist(!known || equal(known.publicKey, key.publicKey), "keys-changed");
        labelKeys.set(kid, known ? { ...known, revoked: known.revoked ?? key.revoked } : key);
    }
    return { ...stored, labelKeys };
}

/** @param {any} key @returns {CheckpointKey|null} null if the type is unknown */
function readCheckpointKey(key) {
    insist(typeof key?.name === "string" && key.name !== "", "keys-malformed");
    if (key.type === "p256") {
        const bytes = fromBase64(key.spki);
        insist(bytes?.length === spki.bytes && bytes[spki.point] === 0x04, "keys-malformed");
        return { type: "p256", name: key.name, bytes };
    }
    if (key.type !== "ed25519") return null;
    const bytes = fromBase64(String(key.vkey ?? "").split("+").slice(2).join("+"));
    insist(bytes?.length === 33 && bytes[0] === vkeyType.ed25519, "keys-malformed");
    return { type: "ed25519", name: key.name, bytes: bytes.slice(1) };
}

/** @param {any} revoked @returns {{reason: string, at: string|null}|null} */
function readRevocation(revoked) {
    if (revoked === null || revoked === undefined || revoked === false) return null;
    return { reason: textOrNull(revoked.reason) ?? "", at: textOrNull(revoked.at) };
}

/** @param {unknown} value @returns {string|null} */
function textOrNull(value) {
    return typeof value === "string" ? value : null;
}
