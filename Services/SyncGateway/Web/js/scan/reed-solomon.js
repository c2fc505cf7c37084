/** Corrects errors of Reed–Solomon codes over GF(256) with the polynomial 0x11D (ISO/IEC 18004, annex B). Pure. */

const powers = new Uint8Array(510);
const logarithms = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
    powers[exponent] = value;
    powers[exponent + 255] = value;
    logarithms[value] = exponent;
    value = value << 1 ^ (value & 0x80 ? 0x11D : 0);
}

function times(left, right) {
    return left === 0 || right === 0 ? 0 : powers[logarithms[left] + logarithms[right]];
}

function inverse(value) {
    return powers[255 - logarithms[value]];
}

/** The value of a polynomial; the coefficients begin with that of the lowest power. */
function valueAt(coefficients, x) {
    let value = 0;
    for (let index = coefficients.length - 1; index >= 0; index -= 1) value = times(value, x) ^ coefficients[index];
    return value;
}

/**
 * Corrects a block in place.
 * @param {Uint8Array} block data and check words @param {number} checks how many check words
 * @returns {boolean} false if it has more errors than can be corrected
 */
export function correct(block, checks) {
    const reversed = block.map((_, index) => block[block.length - 1 - index]);
    const syndromes = Array.from({ length: checks }, (_, power) => valueAt(reversed, powers[power]));
    if (syndromes.every((one) => one === 0)) return true;
    const locator = locatorOf(syndromes);
    const count = locator.length - 1;
    if (count === 0 || 2 * count > checks) return false;
    const places = [];
    for (let place = 0; place < block.length; place += 1) {
        if (valueAt(locator, powers[255 - place]) === 0) places.push(place);
    }
    if (places.length !== count) return false;
    // Forney: the value of an error is the evaluator over the derivative of the locator.
    const evaluator = Array.from({ length: checks }, (_, power) => {
        let sum = 0;
        for (let index = 0; index <= Math.min(power, count); index += 1) {
            sum ^= times(locator[index], syndromes[power - index]);
        }
        return sum;
    });
    const derivative = locator.slice(1).map((coefficient, index) => (index % 2 === 0 ? coefficient : 0));
    for (const place of places) {
        const root = powers[255 - place];
        const slope = valueAt(derivative, root);
        if (slope === 0) return false;
        block[block.length - 1 - place] ^= times(times(valueAt(evaluator, root), inverse(slope)), powers[place]);
    }
    return true;
}

/** The polynomial whose roots are the inverse places of the errors (Berlekamp and Massey). */
function locatorOf(syndromes) {
    let [locator, previous] = [[1], [1]];
    let [length, gap, last] = [0, 1, 1];
    for (let step = 0; step < syndromes.length; step += 1) {
        let difference = syndromes[step];
        for (let index = 1; index <= length; index += 1) {
            difference ^= times(locator[index] ?? 0, syndromes[step - index]);
        }
        if (difference === 0) {
            gap += 1;
            continue;
        }
        const factor = times(difference, inverse(last));
        const before = locator;
        locator = Array.from({ length: Math.max(locator.length, previous.length + gap) }, (_, index) =>
            (locator[index] ?? 0) ^ times(factor, previous[index - gap] ?? 0));
        if (2 * length <= step) {
            [length, previous, last, gap] = [step + 1 - length, before, difference, 1];
        } else {
            gap += 1;
        }
    }
    while (locator.length > 1 && locator[locator.length - 1] === 0) locator.pop();
    return locator;
}
