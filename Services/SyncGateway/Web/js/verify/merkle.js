/**
 * Merkle tree proofs: RFC 6962 hashing, RFC 9162 sections 2.1.3.2 and 2.1.4.2. Hashes are 32 bytes; sizes and indices
 * are BigInt, as JavaScript's bit operations are limited to 32 bits.
 */
import { equal, join, sha256 } from "./bytes.js";

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);
const hashBytes = 32;

/** @param {Uint8Array} entry @returns {Promise<Uint8Array>} SHA-256 of 0x00 ‖ entry */
export function leafHash(entry) {
    return sha256(join(leafPrefix, entry));
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Promise<Uint8Array>} SHA-256 of 0x01 ‖ left ‖ right */
export function nodeHash(left, right) {
    return sha256(join(nodePrefix, left, right));
}

/**
 * Computes the root from a leaf and its inclusion path (RFC 9162, 2.1.3.2).
 * @param {Uint8Array} leaf
 * @param {bigint} index from 0
 * @param {bigint} size
 * @param {Uint8Array[]} path from the leaf upwards
 * @returns {Promise<Uint8Array|null>} null if the path does not fit the index and size
 */
export async function rootOfInclusion(leaf, index, size, path) {
    if (index < 0n || index >= size || !areHashes([leaf, ...path])) return null;
    let node = index;
    let last = size - 1n;
    let root = leaf;
    for (const hash of path) {
        if (last === 0n) return null;
        if ((node & 1n) === 1n || node === last) {
            root = await nodeHash(hash, root);
            while ((node & 1n) === 0n && node !== 0n) {
                node >>= 1n;
                last >>= 1n;
            }
        } else {
            root = await nodeHash(root, hash);
        }
        node >>= 1n;
        last >>= 1n;
    }
    return last === 0n ? root : null;
}

/**
 * Verifies a consistency proof (RFC 9162, 2.1.4.2): the later tree is the earlier one with entries appended.
 * @param {{size: bigint, root: Uint8Array}} earlier
 * @param {{size: bigint, root: Uint8Array}} later
 * @param {Uint8Array[]} proof
 * @returns {Promise<boolean>}
 */
export async function isConsistent(earlier, later, proof) {
    if (earlier.size <= 0n || earlier.size > later.size) return false;
    if (earlier.size === later.size) return proof.length === 0 && equal(earlier.root, later.root);
    if (!areHashes([earlier.root, later.root, ...proof])) return false;
    const path = isPowerOfTwo(earlier.size) ? [earlier.root, ...proof] : proof;
    if (path.length === 0) return false;
    let node = earlier.size - 1n;
    let last = later.size - 1n;
    while ((node & 1n) === 1n) {
        node >>= 1n;
        last >>= 1n;
    }
    let before = path[0];
    let after = path[0];
    for (const hash of path.slice(1)) {
        if (last === 0n) return false;
        if ((node & 1n) === 1n || node === last) {
            before = await nodeHash(hash, before);
            after = await nodeHash(hash, after);
            while ((node & 1n) === 0n && node !== 0n) {
                node >>= 1n;
                last >>= 1n;
            }
        } else {
            after = await nodeHash(after, hash);
        }
        node >>= 1n;
        last >>= 1n;
    }
    return last === 0n && equal(before, earlier.root) && equal(after, later.root);
}

/** @param {bigint} size @returns {boolean} */
function isPowerOfTwo(size) {
    return (size & (size - 1n)) === 0n;
}

/** @param {Uint8Array[]} hashes @returns {boolean} */
function areHashes(hashes) {
    return hashes.every((hash) => hash.length === hashBytes);
}
