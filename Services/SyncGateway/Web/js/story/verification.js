/**
 * One visit to a story: reads the label, asks the farm, checks everything, and remembers what was found to be true.
 */
import { asRefusal, Refusal } from "../verify/failure.js";
import { mergeKeys, readKeys } from "../verify/keys.js";
import { readLabel } from "../verify/label.js";
import { checkLabel, verifyStory } from "../verify/verify.js";
import { askForKeys, askForStory, Declined, Unreachable } from "./farm-api.js";

/**
 * @typedef {object} Outcome
 * @property {"verified"|"failed"|"missing"|"unreachable"|"unable"} state
 * @property {import("../verify/label.js").Label|null} label
 * @property {import("../verify/passport.js").Story|null} story only if every check has passed
 * @property {Map<string, "passed"|"skipped"|"failed">} checks
 * @property {Refusal|null} refusal what failed
 * @property {boolean} isFirst this phone had no keys of this farm
 * @property {boolean} isOffline the story comes from this phone's own store
 * @property {boolean} remembers the next visit will know of this one
 * @property {boolean} isWaiting the farm says now that measurements of this lot's places wait to be read
 * @property {boolean} isSilent this phone's own store did not answer in time: what it may have kept was not compared
 * @property {boolean} isLate it did, but not when it was to keep this visit
 * @property {number} asOf when the farm sent what is shown
 * @property {number|null} since the visit from which on the log is proven to have only grown
 */

/**
 * @param {string} path as in `location.pathname`
 * @param {Awaited<ReturnType<typeof import("./store.js").openMemory>>} memory
 * @param {number} now milliseconds since 1970
 * @returns {Promise<Outcome>} never throws
 */
export async function visit(path, memory, now) {
    /** @type {Outcome} */
    const outcome = {
        state: "failed", label: null, story: null, checks: new Map(), refusal: null, isFirst: false, isOffline: false,
        remembers: memory.lasts, isWaiting: false, isSilent: false,
        isLate: false, asOf: now, since: null,
    };
    if (!globalThis.crypto?.subtle) return { ...outcome, state: "unable" };
    try {
        await examine(path, memory, now, outcome);
    } catch (error) {
        outcome.story = null;
        if (error instanceof Declined && error.status === 404) outcome.state = "missing";
        else if (error instanceof Declined || error instanceof Unreachable) outcome.state = "unreachable";
        else if (error instanceof Refusal) outcome.refusal = error;
        else outcome.state = "unable";
        if (outcome.state === "unable") console.error(error);
    }
    outcome.isLate = memory.isSilent && !outcome.isSilent;
    return outcome;
}

async function examine(path, memory, now, outcome) {
    const report = (check, result) => outcome.checks.set(check, result);
    const label = readReported(path, report);
    outcome.label = label;
    // All of it is read before anything is written: a store that is slow to write is no reason not to compare.
    const kept = await memory.keys();
    const remembered = kept === null ? null : await memory.checkpoint(kept.hub);
    const stored = await memory.bundle(label);
    outcome.isSilent = memory.isSilent;
    outcome.isFirst = kept === null && !memory.isSilent;
    const { ring, isFresh } = await agreeOnKeys(kept, memory, report);
    await checkLabelEarly(label, ring, isFresh, report);

    let bundle = null;
    try {
        bundle = await askForStory(label, remembered?.size ?? null);
    } catch (error) {
        const isRefusedProof = error instanceof Declined && error.status !== 404 && remembered !== null;
        if (isRefusedProof) throw refuse("log-rewritten", "history", report);
        if (!(error instanceof Unreachable) || !stored) throw error;
        return tellStored(label, ring, stored, outcome, report);
    }
    const seenIndex = stored?.bundle.index ?? -1;
    const verified = await verifyStory({ label, ring, bundle, remembered, seenIndex, report });
    Object.assign(outcome, {
        state: "verified", story: verified.story, since: remembered?.seen ?? null, isWaiting: bundle.waiting === true,
    });
    outcome.remembers = await keep(memory, { ring, checkpoint: { ...verified.checkpoint, seen: now }, label, bundle });
}

/** The story of an earlier visit, checked again. */
async function tellStored(label, ring, stored, outcome, report) {
    const verified = await verifyStory({ label, ring, bundle: stored.bundle, remembered: null, report });
    Object.assign(outcome, { state: "verified", story: verified.story, isOffline: true, asOf: stored.seen });
}

/** The keys this phone believes, and whether the farm has just confirmed them. */
async function agreeOnKeys(kept, memory, report) {
    let answered = null;
    try {
        answered = await askForKeys();
    } catch (error) {
        if (!kept) throw new Unreachable(String(error));
        return { ring: kept, isFresh: false };
    }
    if (!kept) return { ring: readKeys(answered), isFresh: true };
    let ring = null;
    try {
        ring = mergeKeys(kept, readKeys(answered));
    } catch (refusal) {
        report("label", "failed");
        throw asRefusal(refusal).code === "keys-changed" ? refusal : new Refusal("keys-changed");
    }
    try {
        await memory.keepKeys(ring);
    } catch {
        // Nothing is lost: the same answer comes again at the next visit.
    }
    return { ring, isFresh: true };
}

/** A label that is no good needs no story; but a key that might be new cannot be judged without the farm. */
async function checkLabelEarly(label, ring, isFresh, report) {
    try {
        await checkLabel(label, ring);
    } catch (error) {
        const refusal = asRefusal(error);
        if (refusal.code === "label-key-unknown" && !isFresh) throw new Unreachable("the label's key may be new");
        report("label", "failed");
        throw refusal;
    }
}

/** @returns {Promise<boolean>} whether it was kept */
async function keep(memory, visited) {
    try {
        await memory.keepVisit(visited);
        return memory.lasts;
    } catch {
        return false;
    }
}

function readReported(path, report) {
    try {
        return readLabel(path);
    } catch (refusal) {
        report("label", "failed");
        throw refusal;
    }
}

function refuse(code, check, report) {
    report(check, "failed");
    return new Refusal(code);
}
