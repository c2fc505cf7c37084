/** Checks the labels of boxes that are scanned in a stocktake: only those that the farm has signed count. */
import { get, NoResponse } from "../common/api.js";
import { t } from "../common/language.js";
import { targetOf } from "../scan/target.js";
import { openVisitStore } from "../story/store.js";
import { VerificationFailure } from "../verify/failure.js";
import { mergeKeys, readKeys } from "../verify/keys.js";
import { readLabel, verifyLabel } from "../verify/label.js";

/**
 * The farm's keys, which this browser has trusted since its first visit of a story or stocktake.
 * @returns {Promise<import("../verify/keys.js").KeyRing>} with new keys and revocations, if there is a network
 * @throws {NoResponse} without a network, if this browser has no keys yet
 * @throws {VerificationFailure} `keys-changed`
 */
async function trustedKeys() {
    const store = await openVisitStore();
    const known = await store.keys();
    let ring;
    try {
        const received = readKeys(await get("/ledger/keys"));
        ring = known === null ? received : mergeKeys(known, received);
    } catch (error) {
        if (known !== null && error instanceof NoResponse) return known;
        throw error;
    }
    // A browser that stores nothing trusts the keys of this page.
    await store.saveKeys(ring).catch(() => {});
    return ring;
}

export class BoxLabels {
    /** Begins to load the keys, so that labels are checked without a network later. */
    constructor() {
        this.keys = null;
        // If that fails, the first label says why.
        this.ring().catch(() => {});
    }

    /**
     * Returns why a scanned code must not be counted.
     * @param {string} text what the code contains
     * @returns {Promise<string|null>} null if it is a label that the farm has signed, or no label
     */
    async problemOf(text) {
        const target = targetOf(text, location.origin);
        // Over plain http a browser verifies nothing: then the serial number counts, which cannot be guessed.
        if (target.kind !== "story" || !globalThis.crypto?.subtle) return null;
        try {
            const label = readLabel(target.path ?? "");
            if (label.kid === null) return t`This label has no signature of the farm: it was not counted.`;
            await verifyLabel(label, await this.ring());
            return null;
        } catch (error) {
            return reasonOf(error);
        }
    }

    /** The keys; after a failure they are requested again. */
    ring() {
        this.keys ??= trustedKeys().catch((error) => {
            this.keys = null;
            throw error;
        });
        return this.keys;
    }
}

function reasonOf(error) {
    if (!(error instanceof VerificationFailure)) {
        return t`This device does not have the farm’s keys yet, so the label cannot be checked. Connect it once, or type
            the serial number.`;
    }
    const reasons = {
        "label-forged": t`The signature of this label is false: it was not counted.`,
        "label-key-revoked": t`This label was signed with a key that the farm has revoked: it was not counted.`,
        "label-key-unknown": t`This label is of another farm: it was not counted.`,
        "keys-changed": t`The farm’s keys are not those that this device knows: no label is counted.`,
    };
    return reasons[error.code] ?? t`This label is damaged: it was not counted.`;
}
