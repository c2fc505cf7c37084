/** An entry of the farm's log: the position of an event and a commitment to its bytes. */
import { equal, fromBase64, join, sha256 } from "./bytes.js";
import { insist } from "./failure.js";

const saltBytes = 16;

/**
 * @typedef {object} Entry
 * @property {number} hub the entry's number in the log, from 1
 * @property {string} origin the service that wrote the event
 * @property {string} epoch
 * @property {number} pos the event's position in the origin's journal
 * @property {Uint8Array} commitment 32 bytes
 */

/**
 * Parses an entry.
 * @param {any} text
 * @returns {Entry}
 * @throws {VerificationFailure} `entry-malformed` if the text is not exactly the JSON that is hashed
 */
export function readEntry(text) {
    let json = null;
    try {
        json = JSON.parse(text);
    } catch {
        json = null;
    }
    insist(json !== null && typeof json === "object", "entry-malformed");
    const { v, hub, origin, epoch, pos, c } = json;
    const commitment = fromBase64(c);
    const isGood = v === 1 && isNumber(hub) && isNumber(pos) && /^[a-z][a-z-]*\/[A-Za-z0-9-]+$/.test(origin)
        && /^[0-9a-f]{16}$/.test(epoch) && commitment?.length === 32;
    insist(isGood && JSON.stringify({ v, hub, origin, epoch, pos, c }) === text, "entry-malformed");
    return { hub, origin, epoch, pos, commitment };
}

/**
 * Checks that the entry commits to these bytes: SHA-256 of salt ‖ bytes.
 * @param {Entry} entry @param {Uint8Array|null} salt @param {Uint8Array|null} bytes
 * @throws {VerificationFailure} `story-altered`
 */
export async function verifyCommitment(entry, salt, bytes) {
    insist(salt?.length === saltBytes && bytes, "story-altered");
    insist(equal(await sha256(join(salt, bytes)), entry.commitment), "story-altered");
}

/** @param {unknown} value @returns {boolean} */
function isNumber(value) {
    return Number.isSafeInteger(value) && value >= 1;
}
