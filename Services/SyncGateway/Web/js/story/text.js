/** The texts of failed checks: what failed, and what to do. Also the names and meanings of the checks. */
import { day } from "../common/format.js";
import { t } from "../common/language.js";

const rely = t`Do not rely on this label. Show this page to the seller of the box, or tell the farm.`;
const rescan = t`Scan the code on the box once more. If it fails again, do not rely on this label, and show it to the
    seller of the box.`;
const server = t`Do not rely on what is shown here. Tell the farm that its log did not pass the check on your
    phone.`;

/** @type {Record<string, [string, string]>} */
const sentences = {
    "label-malformed": [t`This is not the address of a complete label.`, rescan],
    "label-key-unknown": [t`This label was signed with a key that the farm does not have.`, rely],
    "label-key-revoked": [t`The farm has withdrawn the key that this label was signed with.`, rely],
    "label-forged": [
        t`The signature on this label is wrong: the farm did not make it, or it was changed since.`, rescan],
    "entry-malformed": [t`The entry of this story in the farm’s log is damaged.`, server],
    "story-altered": [t`The story that was sent is not the one in the farm’s log.`, server],
    "story-unreadable": [t`The story in the farm’s log cannot be read.`, server],
    "story-of-something-else": [t`What was sent is not the story of a lot.`, server],
    "story-of-another-lot": [t`What was sent is the story of another lot than the one on the label.`, server],
    "story-older": [t`The story that was sent is older than the one this phone has seen before.`, server],
    "checkpoint-malformed": [t`The head of the farm’s log is damaged.`, server],
    "checkpoint-unsigned": [t`The head of the farm’s log does not carry the farm’s signature.`, server],
    "checkpoint-forged": [t`The signature under the farm’s log is wrong.`, server],
    "checkpoint-of-another-log": [t`What was sent belongs to another log.`, server],
    "not-in-log": [t`The story that was sent is not in the farm’s log.`, server],
    "log-shorter": [t`The farm’s log has lost entries that were there at your visit of {seen}.`, server],
    "log-rewritten": [
        t`The farm’s log is not the one this phone has seen: what was recorded before was changed.`, server],
    "keys-changed": [
        t`The server shows other keys than those this phone has stored since your first visit.`,
        t`Do not rely on what is shown here. The farm can tell you whether it has new keys.`],
    "keys-malformed": [t`The farm’s keys cannot be read.`, server],
    unexpected: [
        t`Something went wrong while checking, so nothing is shown as true.`, t`Load the page again in a moment.`],
};

/**
 * Returns the text of a failure.
 * @param {import("../verify/failure.js").VerificationFailure} failure
 * @returns {{what: string, advice: string}}
 */
export function explain(failure) {
    const [what, advice] = sentences[failure.code] ?? sentences.unexpected;
    const reason = failure.facts.reason ? t` The farm’s reason: “${failure.facts.reason}”.` : "";
    const seen = failure.facts.seen ? day(Number(failure.facts.seen)) : t`an earlier day`;
    return { what: what.replace("{seen}", seen) + reason, advice };
}

/** The meaning of each passed check. */
export const checkSentences = {
    label: t`The label was signed by the farm’s key, for exactly this product, lot and box.`,
    story: t`The story matches the log’s entry, byte for byte.`,
    checkpoint: t`The head of the farm’s log is signed with the farm’s own key.`,
    log: t`The entry is in that log, at its own position.`,
    history: t`Everything in the log that this phone saw before is still there, unchanged.`,
    lot: t`The story is that of the lot on the label.`,
};

/** The name of each check. */
export const checkNames = {
    label: t`Label`, story: t`Story`, checkpoint: t`Signature of the log`, log: t`Position in the log`,
    history: t`History`, lot: t`Lot`,
};

/** The reason of each skipped check. */
export const skippedSentences = {
    label: t`This link carries no signature: no label was checked.`,
    history: t`Nothing to compare with: this phone had not seen this log before, its storage did not respond, or there
        was no connection.`,
};
