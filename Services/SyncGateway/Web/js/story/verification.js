/** The verification of a story: reads the label, requests keys and story, checks them, and stores the result. */
import { t } from "../common/language.js";
import { asFailure, VerificationFailure } from "../verify/failure.js";
import { mergeKeys, readKeys } from "../verify/keys.js";
import { readLabel } from "../verify/label.js";
import { checkLabel, verifyStory } from "../verify/verify.js";
import { ageThroughNode, Declined, Deferred, fetchKeys, fetchStory, Unreachable } from "./farm-api.js";

/**
 * @typedef {object} Outcome
 * @property {"verified"|"failed"|"missing"|"unreachable"|"unable"} state
 * @property {import("../verify/label.js").Label|null} label
 * @property {import("../verify/passport.js").Story|null} story null unless every check has passed
 * @property {Map<string, "passed"|"skipped"|"failed">} checks
 * @property {VerificationFailure|null} failure the failed check
 * @property {boolean} isFirst this phone had no keys of the farm
 * @property {boolean} isOffline the story is a stored one
 * @property {boolean} remembers this visit was stored
 * @property {boolean} isWaiting the server has unprocessed measurements of the lot's places
 * @property {boolean} isSilent the store did not respond in time, so earlier visits were not compared
 * @property {boolean} isLate the store was read, but did not respond when this visit was to be stored
 * @property {number} asOf when the story was received
 * @property {number|null} nodeAge seconds since the farm sent what a node has passed on; null: the farm responded
 * @property {string|null} deferred the number of the request that a node sends when it has a network
 * @property {number|null} since the earlier visit with which the log is proven to be consistent
 */

/**
 * Verifies the story of a label.
 * @param {string} path as in `location.pathname`
 * @param {Awaited<ReturnType<typeof import("./store.js").openVisitStore>>} store
 * @param {number} now milliseconds since 1970
 * @returns {Promise<Outcome>} never rejects
 */
export async function verifyPath(path, store, now) {
    /** @type {Outcome} */
    const outcome = {
        state: "failed", label: null, story: null, checks: new Map(), failure: null, isFirst: false, isOffline: false,
        remembers: store.isPersistent, isWaiting: false, isSilent: false,
        isLate: false, asOf: now, nodeAge: null, deferred: null, since: null,
    };
    if (!globalThis.crypto?.subtle) return { ...outcome, state: "unable" };
    try {
        await runChecks(path, store, now, outcome);
    } catch (error) {
        outcome.story = null;
        if (error instanceof Declined && error.status === 404) outcome.state = "missing";
        else if (error instanceof Declined || error instanceof Unreachable) outcome.state = "unreachable";
        else if (error instanceof VerificationFailure) outcome.failure = error;
        else outcome.state = "unable";
        if (error instanceof Deferred) outcome.deferred = error.id;
        if (outcome.state === "unable") console.error(error);
    }
    if (!outcome.isOffline) outcome.nodeAge = ageThroughNode();
    outcome.isLate = store.isSilent && !outcome.isSilent;
    return outcome;
}

async function runChecks(path, store, now, outcome) {
    const report = (check, result) => outcome.checks.set(check, result);
    const label = readReported(path, report);
    outcome.label = label;
    // Everything is read before anything is written, so that slow writes do not prevent the comparison.
    const known = await store.keys();
    const remembered = known === null ? null : await store.checkpoint(known.hub);
    const stored = await store.bundle(label);
    outcome.isSilent = store.isSilent;
    outcome.isFirst = known === null && !store.isSilent;
    const { ring, isFresh } = await currentKeys(known, store, report);
    await checkLabelEarly(label, ring, isFresh, report);

    let bundle = null;
    try {
        bundle = await fetchStory(label, remembered?.size ?? null);
    } catch (error) {
        const isRefusedProof = error instanceof Declined && error.status !== 404 && remembered !== null;
        if (isRefusedProof) throw failedCheck("log-rewritten", "history", report);
        if (!(error instanceof Unreachable) || !stored) throw error;
        return showStored(label, ring, stored, outcome, report);
    }
    const seenIndex = stored?.bundle.index ?? -1;
    const verified = await verifyStory({ label, ring, bundle, remembered, seenIndex, report });
    Object.assign(outcome, {
        state: "verified", story: verified.story, since: remembered?.seen ?? null, isWaiting: bundle.waiting === true,
    });
    const checkpoint = { ...verified.checkpoint, seen: now };
    outcome.remembers = await saveResult(store, { ring, checkpoint, label, bundle });
}

/** Verifies the stored story again and shows it. */
async function showStored(label, ring, stored, outcome, report) {
    const verified = await verifyStory({ label, ring, bundle: stored.bundle, remembered: null, report });
    Object.assign(outcome, { state: "verified", story: verified.story, isOffline: true, asOf: stored.seen });
}

/** Returns the trusted keys, and whether the server has just confirmed them. */
export async function currentKeys(known, store, report) {
    let received = null;
    try {
        received = await fetchKeys();
    } catch (error) {
        if (!known) throw error instanceof Deferred ? error : new Unreachable(String(error));
        return { ring: known, isFresh: false };
    }
    if (!known) return { ring: readKeys(received), isFresh: true };
    let ring = null;
    try {
        ring = mergeKeys(known, readKeys(received));
    } catch (failure) {
        report("label", "failed");
        throw asFailure(failure).code === "keys-changed" ? failure : new VerificationFailure("keys-changed");
    }
    try {
        await store.saveKeys(ring);
    } catch {
        // The next visit receives the same keys.
    }
    return { ring, isFresh: true };
}

/** Checks the label before the story is requested. Without current keys, an unknown key is not a failure yet. */
async function checkLabelEarly(label, ring, isFresh, report) {
    try {
        await checkLabel(label, ring);
    } catch (error) {
        const failure = asFailure(error);
        if (failure.code === "label-key-unknown" && !isFresh) throw new Unreachable(t`the label's key may be new`);
        report("label", "failed");
        throw failure;
    }
}

/** @returns {Promise<boolean>} whether the visit was stored */
async function saveResult(store, visited) {
    try {
        await store.saveVisit(visited);
        return store.isPersistent;
    } catch {
        return false;
    }
}

function readReported(path, report) {
    try {
        return readLabel(path);
    } catch (failure) {
        report("label", "failed");
        throw failure;
    }
}

function failedCheck(code, check, report) {
    report(check, "failed");
    return new VerificationFailure(code);
}
