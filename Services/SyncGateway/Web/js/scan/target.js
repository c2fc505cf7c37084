/** What a code leads to. Pure. */
import { hasCheckDigit } from "../verify/gtin.js";

/** A label's address: a signature, then the GS1 Digital Link of a lot, with the serial number of a box. */
const label = /^(\/S1[A-Z0-9]{4}[A-Z2-7]+)?\/01\/(\d{14})\/10\/([^/]+)(?:\/21\/([^/]+))?\/?$/iu;

/**
 * @typedef {object} Target
 * @property {"story"|"number"|"page"|"text"} kind a label of a lot, the number of goods, another page, or none of these
 * @property {string} text what the code contains
 * @property {string} [path] of a story or page
 * @property {string} [host] of a story or page that is not this server's
 * @property {string} [lot] @property {string} [serial] of a label
 */

/** @param {string} text of a code @param {string} origin of this server @returns {Target} */
export function targetOf(text, origin) {
    if (hasCheckDigit(text)) return { kind: "number", text };
    const url = addressOf(text);
    if (url === null) return { kind: "text", text };
    const host = url.origin === origin ? undefined : url.host;
    const found = label.exec(url.pathname);
    const path = `${url.pathname}${url.search}`;
    if (found === null) return { kind: "page", text, path, host };
    try {
        const [lot, serial] = found.slice(3).map((part) => part && decodeURIComponent(part));
        return { kind: "story", text, path: url.pathname, host, lot, serial };
    } catch {
        // A percent sign that encodes nothing: no farm has printed that.
        return { kind: "page", text, path, host };
    }
}

function addressOf(text) {
    try {
        const url = new URL(text);
        return ["http:", "https:"].includes(url.protocol) ? url : null;
    } catch {
        return null;
    }
}

/**
 * Returns what identifies a thing in a stocktake: of a label the serial number of the box, else the text itself.
 * @param {string} text of a code
 */
export function codeOf(text) {
    const { kind, serial, lot } = targetOf(text, "");
    return kind === "story" ? (serial ?? lot ?? text).toUpperCase() : text;
}
