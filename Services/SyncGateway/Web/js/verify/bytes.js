/**
 * Bytes and their encodings. Each decoder accepts exactly one encoding of a value (canonical form), so that no bit of
 * the input can change unnoticed.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** @param {string} text @returns {Uint8Array} UTF-8 */
export function utf8(text) {
    return encoder.encode(text);
}

/** @param {Uint8Array} bytes @returns {string} @throws {TypeError} if the bytes are not UTF-8 */
export function text(bytes) {
    return decoder.decode(bytes);
}

/** @param {...Uint8Array} parts @returns {Uint8Array} the concatenation */
export function join(...parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {boolean} */
export function equal(left, right) {
    return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} SHA-256, 32 bytes */
export async function sha256(bytes) {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** @param {Uint8Array} bytes @returns {string} RFC 4648 section 4, with padding */
export function toBase64(bytes) {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary);
}

/** @param {unknown} value @returns {Uint8Array|null} null unless it is the canonical encoding of `toBase64` */
export function fromBase64(value) {
    if (typeof value !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) return null;
    try {
        const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
        return toBase64(bytes) === value ? bytes : null;
    } catch {
        return null;
    }
}

/** @param {unknown} value @returns {Uint8Array|null} RFC 4648 section 5, without padding */
export function fromBase64URL(value) {
    if (typeof value !== "string" || !/^[A-Za-z0-9_-]*$/.test(value)) return null;
    const padding = "=".repeat((4 - (value.length % 4)) % 4);
    return fromBase64(value.replaceAll("-", "+").replaceAll("_", "/") + padding);
}

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * @param {string} value RFC 4648 section 6, upper case, without padding
 * @returns {Uint8Array|null} null if the encoding is not canonical, for example if the unused bits are not 0
 */
export function fromBase32(value) {
    const bytes = [];
    let held = 0;
    let bits = 0;
    for (const character of value) {
        const digit = base32Alphabet.indexOf(character);
        if (digit < 0) return null;
        held = (held << 5) | digit;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            bytes.push((held >> bits) & 0xff);
            held &= (1 << bits) - 1;
        }
    }
    return bits < 5 && held === 0 ? Uint8Array.from(bytes) : null;
}

/** @param {Uint8Array} bytes @returns {string} hexadecimal digits in lower case */
export function hex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
