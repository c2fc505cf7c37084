/** Reads the bar codes of goods: EAN-13, EAN-8, UPC-A (GS1 General Specifications, 5.2). Pure. */
import { hasCheckDigit } from "../verify/gtin.js";

/** The widths of the four bars of each digit, in modules: space first, odd parity. */
const widths = ["3211", "2221", "2122", "1411", "1132", "1231", "1114", "1312", "1213", "3112"]
    .map((text) => Array.from(text, Number));
/** By the first digit of EAN-13: which of the six left digits have even parity, the first one in the highest bit. */
const parities = [0b000000, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110, 0b011010];
const Limits = { rows: 48, fault: 0.48, agreeing: 2, sharpening: 0.7 };

/**
 * @param {import("./pixels.js").Grey} picture
 * @returns {string|null} the digits, if several lines through the picture agree; null if there is no code
 */
export function readEAN(picture) {
    const votes = new Map();
    for (const isAcross of [true, false]) {
        const [lines, length] = isAcross ? [picture.height, picture.width] : [picture.width, picture.height];
        for (let index = 1; index < Limits.rows; index += 1) {
            const at = Math.floor(lines * index / Limits.rows);
            const digits = readEither(lineOf(picture, at, length, isAcross));
            if (digits === null) continue;
            votes.set(digits, (votes.get(digits) ?? 0) + 1);
            if (votes.get(digits) >= Limits.agreeing) return digits;
        }
    }
    return null;
}

/** Reads a line in both directions, as it is and with what blur has taken from narrow bars given back. */
function readEither(line) {
    for (const distance of [0, 2, 3]) {
        const sharper = distance === 0 ? line : line.map((value, index) => value + Limits.sharpening
            * (2 * value - (line[index - distance] ?? value) - (line[index + distance] ?? value)));
        const digits = readLine(sharper) ?? readLine(reversed(sharper));
        if (digits !== null) return digits;
    }
    return null;
}

function reversed(line) {
    return line.map((_, index) => line[line.length - 1 - index]);
}

/** The brightness along a line, as a mean of five lines, so that noise counts less. */
function lineOf({ width, height, values }, at, length, isAcross) {
    const line = new Float32Array(length);
    const last = (isAcross ? height : width) - 1;
    for (const near of [at - 2, at - 1, at, at + 1, at + 2]) {
        const place = Math.min(last, Math.max(0, near));
        for (let index = 0; index < length; index += 1) {
            line[index] += isAcross ? values[place * width + index] : values[index * width + place];
        }
    }
    return line;
}

/** @param {Float32Array} line @returns {string|null} */
function readLine(line) {
    for (const radius of [24, 60]) {
        const runs = runsOf(line, radius);
        for (let at = 1; at + 42 < runs.length; at += 2) {
            const digits = digitsAt(runs, at);
            if (digits !== null) return digits;
        }
    }
    return null;
}

/** The lengths of light and dark runs, light first. Edges are found between two pixels. */
function runsOf(line, radius) {
    const threshold = new Float32Array(line.length);
    let [sum, count] = [0, 0];
    for (let index = 0; index < Math.min(radius, line.length); index += 1, count += 1) sum += line[index];
    for (let index = 0; index < line.length; index += 1) {
        if (index + radius < line.length) [sum, count] = [sum + line[index + radius], count + 1];
        if (index - radius - 1 >= 0) [sum, count] = [sum - line[index - radius - 1], count - 1];
        threshold[index] = sum / count;
    }
    const runs = [];
    let [isDark, start] = [false, 0];
    for (let index = 1; index < line.length; index += 1) {
        // A little darker than the mean around it, so that noise on paper has no bars.
        if (line[index] < 0.96 * threshold[index] === isDark) continue;
        const [before, after] = [line[index - 1] - threshold[index - 1], line[index] - threshold[index]];
        const edge = before === after ? index : index - 1 + Math.min(1, Math.max(0, before / (before - after)));
        runs.push(edge - start);
        [isDark, start] = [!isDark, edge];
    }
    runs.push(line.length - start);
    return runs;
}

/** @param {number[]} runs @param {number} at the first bar @returns {string|null} */
function digitsAt(runs, at) {
    return symbol(runs, at, 6) ?? symbol(runs, at, 4);
}

/** A symbol with so many digits on either side of its middle. */
function symbol(runs, at, half) {
    const count = 3 + 8 * half + 5 + 3;
    if (at + count > runs.length) return null;
    let total = 0;
    for (let index = at; index < at + count; index += 1) total += runs[index];
    const module = total / (14 * half + 11);
    // Light on both sides; the guards have single bars.
    if (runs[at - 1] < 5 * module || (runs[at + count] ?? Infinity) < 5 * module) return null;
    const middle = at + 3 + 4 * half;
    const guards = [at, at + 1, at + 2, at + count - 3, at + count - 2, at + count - 1,
        ...[0, 1, 2, 3, 4].map((index) => middle + index)];
    if (guards.some((index) => Math.abs(runs[index] - module) > 0.75 * module)) return null;
    let digits = "";
    let parity = 0;
    for (let index = 0; index < 2 * half; index += 1) {
        const first = index < half ? at + 3 + 4 * index : middle + 5 + 4 * (index - half);
        const found = digit(runs.slice(first, first + 4), index < half && half === 6);
        if (found === null) return null;
        digits += found.value;
        if (index < half) parity = parity << 1 | (found.isEven ? 1 : 0);
    }
    if (half === 6) {
        const first = parities.indexOf(parity);
        if (first < 0) return null;
        digits = `${first}${digits}`;
    }
    return hasCheckDigit(digits) ? digits : null;
}

function digit(bars, mayBeEven) {
    const total = bars[0] + bars[1] + bars[2] + bars[3];
    let best = null;
    let least = Limits.fault;
    for (let value = 0; value < 10; value += 1) {
        for (const isEven of mayBeEven ? [false, true] : [false]) {
            let fault = 0;
            for (let index = 0; index < 4; index += 1) {
                const expected = widths[value][isEven ? 3 - index : index];
                fault = Math.max(fault, Math.abs(bars[index] * 7 / total - expected));
            }
            if (fault < least) [best, least] = [{ value, isEven }, fault];
        }
    }
    return best;
}
