/** The text in the data words of a QR code (ISO/IEC 18004, 7.4). Pure. */

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const Mode = {
    end: 0, digits: 1, letters: 2, structured: 3, bytes: 4, firstGS1: 5, encoding: 7, kanji: 8, secondGS1: 9,
};
/** Bits of a count, for versions 1 to 9, 10 to 26, 27 to 40. */
const countBits = { [Mode.digits]: [10, 12, 14], [Mode.letters]: [9, 11, 13], [Mode.bytes]: [8, 16, 16],
    [Mode.kanji]: [8, 10, 12] };

class BitReader {
    constructor(words) {
        this.words = words;
        this.at = 0;
    }

    get left() {
        return 8 * this.words.length - this.at;
    }

    /** @throws {RangeError} if there are not so many bits */
    read(count) {
        if (count > this.left) throw new RangeError("the code ends within a segment");
        let value = 0;
        for (let index = 0; index < count; index += 1, this.at += 1) {
            value = value * 2 + (this.words[this.at >> 3] >> (7 - (this.at & 7)) & 1);
        }
        return value;
    }
}

/**
 * @param {Uint8Array} words @param {number} version
 * @returns {string}
 * @throws {RangeError} if the words are not as the standard says
 */
export function textOf(words, version) {
    const bits = new BitReader(words);
    const size = version < 10 ? 0 : version < 27 ? 1 : 2;
    let text = "";
    let encoding = "";
    while (bits.left >= 4) {
        const mode = bits.read(4);
        if (mode === Mode.end) break;
        if (mode === Mode.structured) bits.read(16);
        else if (mode === Mode.secondGS1) bits.read(8);
        else if (mode === Mode.encoding) encoding = encodingOf(bits);
        else if (mode !== Mode.firstGS1) text += segment(bits, mode, encoding, size);
    }
    return text;
}

function segment(bits, mode, encoding, size) {
    const width = countBits[mode];
    if (width === undefined) throw new RangeError(`there is no mode ${mode}`);
    const count = bits.read(width[size]);
    if (mode === Mode.digits) return digits(bits, count);
    if (mode === Mode.letters) return pairs(bits, count);
    const bytes = Uint8Array.from({ length: mode === Mode.kanji ? 2 * count : count });
    if (mode === Mode.bytes) {
        for (let index = 0; index < count; index += 1) bytes[index] = bits.read(8);
        return decoded(bytes, encoding);
    }
    for (let index = 0; index < count; index += 1) {
        const packed = bits.read(13);
        const pair = Math.floor(packed / 0xC0) * 0x100 + packed % 0xC0;
        const value = pair + (pair < 0x1F00 ? 0x8140 : 0xC140);
        [bytes[2 * index], bytes[2 * index + 1]] = [value >> 8, value & 0xFF];
    }
    return new TextDecoder("shift-jis").decode(bytes);
}

function digits(bits, count) {
    let text = "";
    for (let left = count; left > 0; left -= 3) {
        const length = Math.min(3, left);
        text += String(bits.read([0, 4, 7, 10][length])).padStart(length, "0");
    }
    return text;
}

function pairs(bits, count) {
    let text = "";
    for (let left = count; left > 0; left -= 2) {
        const value = bits.read(left === 1 ? 6 : 11);
        if (left > 1) text += letters[Math.floor(value / 45)];
        text += letters[value % 45];
    }
    return text;
}

/** Byte segments without an encoding are UTF-8 in practice; what is not is Latin-1, as the standard says. */
function decoded(bytes, encoding) {
    if (encoding) return new TextDecoder(encoding).decode(bytes);
    try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
        return new TextDecoder("iso-8859-1").decode(bytes);
    }
}

/** The assignment number of an encoding (ECI); those that are used. */
function encodingOf(bits) {
    const first = bits.read(8);
    const number = first < 0x80 ? first : first < 0xC0 ? (first & 0x3F) << 8 | bits.read(8)
        : (first & 0x1F) << 16 | bits.read(16);
    return { 3: "iso-8859-1", 20: "shift-jis", 26: "utf-8", 27: "utf-8" }[number] ?? "";
}
