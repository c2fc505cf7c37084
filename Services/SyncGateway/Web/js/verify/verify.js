/**
 * The checks that a story must pass before it is shown, in order. This module is pure: it loads, stores and shows
 * nothing.
 */
import { equal, fromBase64, toBase64, utf8 } from "./bytes.js";
import { readEntry, verifyCommitment } from "./entry.js";
import { asFailure, insist } from "./failure.js";
import { verifyLabel } from "./label.js";
import { isConsistent, leafHash, rootOfInclusion } from "./merkle.js";
import { openCheckpoint } from "./note.js";
import { openPassport } from "./passport.js";
import { openReport } from "./report.js";

const Limits = { proofHashes: 64, consistencyHashes: 128 };

/** The names of the checks, in order. */
export const checks = ["label", "story", "checkpoint", "log", "history", "lot"];

/**
 * @typedef {object} Bundle the response of `/v1/lots/{lot}/passport`
 *
 * @typedef {object} Remembered the last checkpoint that this phone verified
 * @property {string} size decimal
 * @property {string} root base64
 * @property {number} seen when, in milliseconds since 1970
 *
 * @typedef {object} Verified
 * @property {import("./passport.js").Story} story
 * @property {{size: string, root: string}} checkpoint to store
 * @property {number} index of the story's entry in the log
 */

/**
 * Runs all checks on a bundle.
 * @param {object} given
 * @param {import("./label.js").Label} given.label
 * @param {import("./keys.js").KeyRing} given.ring
 * @param {any} given.bundle
 * @param {Remembered|null} given.remembered null on a first visit, and for a stored bundle
 * @param {number} [given.seenIndex] index of the newest story of this lot that the phone has seen
 * @param {(check: string, outcome: "passed"|"skipped"|"failed") => void} [given.report]
 * @returns {Promise<Verified>}
 * @throws {VerificationFailure} of the first failed check
 */
export async function verifyStory({ label, ring, bundle, remembered, seenIndex = -1, report = () => {} }) {
    const check = reporting(report);
    await check("label", () => checkLabel(label, ring));
    const { entry, bytes, checkpoint } = await verifyEvent({ check, ring, bundle, remembered, seenIndex });
    const story = await check("lot", () => openPassport(bytes, entry, label));
    return {
        story, index: bundle.index, checkpoint: { size: String(checkpoint.size), root: toBase64(checkpoint.root) },
    };
}

/**
 * Runs the checks on a stocktake's report: its end is an event of the log, which has the digest of the lines.
 * @param {object} given
 * @param {import("./keys.js").KeyRing} given.ring
 * @param {any} given.bundle the response of `/v1/stocktakes/{stocktake}/proof`
 * @param {string} given.stocktake
 * @param {string[]} given.lines of the report
 * @param {Remembered|null} given.remembered
 * @param {(check: string, outcome: "passed"|"skipped"|"failed") => void} [given.report]
 * @returns {Promise<{result: import("./report.js").Result, checkpoint: {size: string, root: string}}>}
 * @throws {VerificationFailure} of the first failed check
 */
export async function verifyReport({ ring, bundle, stocktake, lines, remembered, report = () => {} }) {
    const check = reporting(report);
    const { entry, bytes, checkpoint } = await verifyEvent({ check, ring, bundle, remembered, seenIndex: -1 });
    const result = await check("report", () => openReport(bytes, entry, { stocktake, lines }));
    return { result, checkpoint: { size: String(checkpoint.size), root: toBase64(checkpoint.root) } };
}

/** Returns what runs a check and reports its outcome. */
function reporting(report) {
    return async (name, body) => {
        try {
            const value = await body();
            report(name, value === undefined ? "skipped" : "passed");
            return value;
        } catch (error) {
            report(name, "failed");
            throw asFailure(error);
        }
    };
}

/** Checks that the bytes of an event are in the farm's log, which has only grown since. */
async function verifyEvent({ check, ring, bundle, remembered, seenIndex }) {
    const { entry, bytes } = await check("story", () => checkBytes(bundle));
    const checkpoint = await check("checkpoint", () => checkCheckpoint(bundle, ring));
    await check("log", () => checkInclusion(bundle, entry, checkpoint));
    await check("history", () => checkHistory(bundle, checkpoint, remembered, seenIndex));
    return { entry, bytes, checkpoint };
}

/** Verifies the label. @returns {Promise<true|undefined>} undefined if it has no signature */
export async function checkLabel(label, ring) {
    if (label.kid === null) return undefined;
    await verifyLabel(label, ring);
    return true;
}

/** Checks that the entry commits to the bytes of the event. */
async function checkBytes(bundle) {
    const entry = readEntry(bundle?.entry);
    const bytes = fromBase64(bundle.bytes);
    await verifyCommitment(entry, fromBase64(bundle.salt), bytes);
    return { entry, bytes };
}

/** Checks that the checkpoint is signed by the farm and belongs to the bundle. */
async function checkCheckpoint(bundle, ring) {
    const checkpoint = await openCheckpoint(bundle.checkpoint, ring);
    insist(bundle.hub === ring.hub, "checkpoint-of-another-log");
    insist(Number.isSafeInteger(bundle.size) && BigInt(bundle.size) === checkpoint.size, "checkpoint-malformed");
    return checkpoint;
}

/** Checks that the log of the checkpoint includes the entry at its index. */
async function checkInclusion(bundle, entry, checkpoint) {
    const path = hashes(bundle.proof, Limits.proofHashes);
    insist(path && Number.isSafeInteger(bundle.index) && entry.hub - 1 === bundle.index, "not-in-log");
    const leaf = await leafHash(utf8(bundle.entry));
    const root = await rootOfInclusion(leaf, BigInt(bundle.index), checkpoint.size, path);
    insist(root && equal(root, checkpoint.root), "not-in-log");
    return true;
}

/** Checks that the log extends the one that this phone has seen, and that the story is not older. */
async function checkHistory(bundle, checkpoint, remembered, seenIndex) {
    insist(bundle.index >= seenIndex, "story-older");
    if (remembered === null) return undefined;
    const earlier = { size: BigInt(remembered.size), root: fromBase64(remembered.root) };
    insist(earlier.size <= checkpoint.size, "log-shorter", { seen: String(remembered.seen) });
    const proof = hashes(bundle.consistency ?? [], Limits.consistencyHashes);
    insist(proof && (await isConsistent(earlier, checkpoint, proof)), "log-rewritten");
    return true;
}

/** @param {unknown} list @param {number} most @returns {Uint8Array[]|null} */
function hashes(list, most) {
    if (!Array.isArray(list) || list.length > most) return null;
    const decoded = list.map(fromBase64);
    return decoded.every((hash) => hash?.length === 32) ? decoded : null;
}
