/**
 * What stands in the farm's log for one event: where it lies and a commitment to its bytes.
 */
import { equal, fromBase64, join, sha256 } from "./bytes.js";
import { insist } from "./failure.js";

const saltBytes = 16;

/**
 * @typedef {object} Entry
 * @property {number} hub the entry's number in the log, from 1
 * @property {string} origin who wrote the event
 * @property {string} epoch
 * @property {number} pos the origin's own number of the event
 * @property {Uint8Array} commitment 32 bytes
 */

/**
 * @param {any} text
 * @returns {Entry}
 * @throws {Refusal} `entry-malformed` for any other spelling than the one that is hashed
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
 * Checks that the entry speaks of exactly these bytes.
 * @param {Entry} entry @param {Uint8Array|null} salt @param {Uint8Array|null} bytes
 * @throws {Refusal} `story-altered`
 */
export async function verifyCommitment(entry, salt, bytes) {
    insist(salt?.length === saltBytes && bytes, "story-altered");
    insist(equal(await sha256(join(salt, bytes)), entry.commitment), "story-altered");
}

/** @param {unknown} value @returns {boolean} */
function isNumber(value) {
    return Number.isSafeInteger(value) && value >= 1;
}
