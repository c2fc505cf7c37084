/**
 * The label of a box: a GS1 Digital Link whose path may contain a key id and a signature,
 * `/S1<kid:4><signature:103>/01/<gtin>/10/<lot>[/21/<serial>]`, or the same path from `/01/` on.
 */
import { fromBase32, utf8 } from "./bytes.js";
import { insist } from "./failure.js";
import { hasCheckDigit } from "./gtin.js";

const stem = "(?:/S1([A-Z0-9]{4})([A-Z2-7]{103}))?";
const item = "/01/([0-9]{14})/10/([A-Z0-9-]{1,20})(?:/21/([A-Z0-9]{1,20}))?";
const address = new RegExp(`^${stem}${item}$`);
const signatureBytes = 64;

/**
 * @typedef {object} Label
 * @property {string|null} kid the key id; null if the address has no signature
 * @property {Uint8Array|null} signature r ‖ s, 64 bytes
 * @property {string} gtin 14 digits
 * @property {string} lot
 * @property {string|null} serial of one box
 */

/**
 * Parses the path of a story page. Letters may have either case, as some scanners change it.
 * @param {string} path as in `location.pathname`
 * @returns {Label}
 * @throws {VerificationFailure} `label-malformed`
 */
export function readLabel(path) {
    const found = address.exec(path.replace(/\/$/, "").toUpperCase());
    insist(found && hasCheckDigit(found[3]), "label-malformed");
    const [, kid = null, code = null, gtin, lot, serial = null] = found;
    const signature = code === null ? null : fromBase32(code);
    insist(code === null || signature?.length === signatureBytes, "label-malformed");
    return { kid, signature, gtin, lot, serial };
}

/** @param {Label} label @returns {string} the text that a label's signature covers */
export function signedText(label) {
    const serial = label.serial === null ? "" : `/21/${label.serial}`;
    return `v1|https://id.gs1.org/01/${label.gtin}/10/${label.lot}${serial}|${label.kid}`;
}

/**
 * Verifies the signature (ECDSA P-256 with SHA-256) of a label with a known key that is not revoked.
 * @param {Label} label with a signature
 * @param {import("./keys.js").KeyRing} ring
 * @throws {VerificationFailure} `label-key-unknown`, `label-key-revoked`, `label-forged`
 */
export async function verifyLabel(label, ring) {
    const key = ring.labelKeys.get(label.kid);
    insist(key, "label-key-unknown", { kid: label.kid });
    insist(!key.revoked, "label-key-revoked", { kid: label.kid, reason: key.revoked?.reason ?? "" });
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const publicKey = await crypto.subtle.importKey("raw", key.publicKey, algorithm, false, ["verify"]);
    const isGood = await crypto.subtle.verify(
        { name: "ECDSA", hash: "SHA-256" }, publicKey, label.signature, utf8(signedText(label)));
    insist(isGood, "label-forged");
}
