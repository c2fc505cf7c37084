/** Checks the labels of boxes that are scanned in a stocktake: only those that the farm has signed count. */
import { t } from "../common/language.js";
import { targetOf } from "../scan/target.js";
import { openVisitStore } from "../story/store.js";
import { currentKeys } from "../story/verification.js";
import { VerificationFailure } from "../verify/failure.js";
import { readLabel, verifyLabel } from "../verify/label.js";

/** The farm's keys, as this browser trusted them first. @returns {Promise<import("../verify/keys.js").KeyRing>} */
async function trustedKeys() {
    const store = await openVisitStore();
    const known = await store.keys();
    const { ring } = await currentKeys(known, store, () => {});
    if (known === null) await store.saveKeys(ring).catch(() => {});
    return ring;
}

export class BoxLabels {
    /** Begins to load the keys, so that labels are checked without a network, too. */
    constructor() {
        // Without keys the first label says so.
        this.keys = trustedKeys().catch((error) => error);
    }

    /**
     * Returns why a scanned code must not be counted.
     * @param {string} text what the code contains
     * @returns {Promise<string|null>} null if it is a label that the farm has signed, or no label
     */
    async problemOf(text) {
        const target = targetOf(text, location.origin);
        // Without a secure context a browser verifies nothing; the serial number alone is not to be guessed.
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

    /** @returns {Promise<import("../verify/keys.js").KeyRing>} */
    async ring() {
        let keys = await this.keys;
        if (keys instanceof Error) keys = await (this.keys = trustedKeys());
        return keys;
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
