/** Finds the three square patterns in the corners of QR codes (ISO/IEC 18004, 6.3.3). Pure. */

/**
 * @typedef {{x: number, y: number, module: number, hits: number}} Finder its middle, and the size of a module in pixels
 * @typedef {{corner: Finder, right: Finder, below: Finder}} Triple the upper left finder, and the others
 */

const Limits = { finders: 14, triples: 10, tolerance: 0.6 };
/** Dark, light, dark, light, dark: the modules along any line through the middle. */
const shares = [1, 1, 3, 1, 1];

/** @param {import("./pixels.js").Bits} bits @returns {Triple[]} the likely ones first */
export function triplesOf(bits) {
    return triples(findersOf(bits));
}

/** @param {import("./pixels.js").Bits} bits @returns {Finder[]} those that most rows cross first */
export function findersOf(bits) {
    const { width, height, dark } = bits;
    /** @type {Finder[]} */
    const found = [];
    const step = Math.max(1, Math.min(3, Math.floor(height / 300)));
    const starts = new Int32Array(width + 2);
    for (let y = step >> 1; y < height; y += step) {
        let runs = 0;
        let colour = 0;
        // The starts of the runs: dark ones have even numbers.
        for (let x = 0; x < width; x += 1) {
            if (dark[y * width + x] === colour) continue;
            colour ^= 1;
            starts[runs++] = x;
        }
        starts[runs] = width;
        for (let run = 0; run + 4 < runs; run += 2) {
            const lengths = [0, 1, 2, 3, 4].map((index) => starts[run + index + 1] - starts[run + index]);
            if (!isFinder(lengths)) continue;
            const seen = checked(bits, (starts[run + 2] + starts[run + 3]) / 2, y, sumOf(lengths));
            if (seen) merge(found, seen);
        }
    }
    return found.filter(({ hits }) => hits > 1 || step > 1).sort((one, other) => other.hits - one.hits)
        .slice(0, Limits.finders);
}

function sumOf(lengths) {
    return lengths[0] + lengths[1] + lengths[2] + lengths[3] + lengths[4];
}

function isFinder(lengths) {
    const module = sumOf(lengths) / 7;
    if (module < 0.8) return false;
    return lengths.every((length, index) =>
        Math.abs(length - shares[index] * module) <= Math.max(0.9, Limits.tolerance * module)
            * (index === 2 ? 1.8 : 1));
}

/** Looks for the same pattern across the first line, and along it once more. */
function checked(bits, x, y, length) {
    const down = across(bits, x, y, 0, 1, length);
    if (down === null) return null;
    const row = y + down.shift;
    const along = across(bits, x, row, 1, 0, length);
    if (along === null) return null;
    const column = x + along.shift;
    const slant = across(bits, column, row, 1, 1, length);
    if (slant === null) return null;
    const ratio = down.length / along.length;
    if (ratio > 2 || ratio < 0.5) return null;
    return { x: column, y: row, module: (down.length + along.length) / 14, hits: 1 };
}

/** Measures the five runs along a direction through a point in the middle one; null if they are not a finder's. */
function across({ width, height, dark }, x, y, right, down, length) {
    const [x0, y0] = [Math.floor(x), Math.floor(y)];
    const longest = 2 * length;
    const colourAt = (distance) => {
        const [column, row] = [x0 + right * distance, y0 + down * distance];
        return column < 0 || row < 0 || column >= width || row >= height ? -1 : dark[row * width + column];
    };
    if (colourAt(0) !== 1) return null;
    const runs = [0, 0, 0, 0, 0];
    const ends = [0, 0];
    for (const way of [-1, 1]) {
        let distance = 0;
        for (const [index, colour] of [[2, 1], [2 + way, 0], [2 + 2 * way, 1]]) {
            const from = distance;
            while (colourAt(way * (distance + 1)) === colour && distance - from <= longest) distance += 1;
            if (index === 2) ends[way < 0 ? 0 : 1] = distance;
            runs[index] += distance - from;
        }
    }
    runs[2] += 1;
    if (!isFinder(runs)) return null;
    return { shift: (ends[1] - ends[0]) / 2 + (right ? x0 + 0.5 - x : 0) + (down && !right ? y0 + 0.5 - y : 0),
        length: sumOf(runs) };
}

function merge(found, seen) {
    for (const one of found) {
        const reach = 2 * Math.max(one.module, seen.module);
        if (Math.abs(one.x - seen.x) > reach || Math.abs(one.y - seen.y) > reach) continue;
        const hits = one.hits + 1;
        for (const name of ["x", "y", "module"]) one[name] = (one[name] * one.hits + seen[name]) / hits;
        one.hits = hits;
        return;
    }
    found.push(seen);
}

/** Every three finders that may be those of one code, the most likely ones first. */
function triples(finders) {
    const result = [];
    for (let first = 0; first < finders.length; first += 1) {
        for (let second = first + 1; second < finders.length; second += 1) {
            for (let third = second + 1; third < finders.length; third += 1) {
                const one = triple(finders[first], finders[second], finders[third]);
                if (one) result.push(one);
            }
        }
    }
    return result.sort((one, other) => one.fault - other.fault).slice(0, Limits.triples);
}

function triple(...three) {
    const modules = three.map(({ module }) => module);
    const spread = Math.max(...modules) / Math.min(...modules);
    if (spread > 2.2) return null;
    const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
    // The corner is opposite to the longest side.
    const sides = [distance(three[1], three[2]), distance(three[0], three[2]), distance(three[0], three[1])];
    const at = sides.indexOf(Math.max(...sides));
    const [corner, one, other] = [three[at], three[(at + 1) % 3], three[(at + 2) % 3]];
    const [left, right] = [distance(corner, one), distance(corner, other)];
    const legs = Math.max(left, right) / Math.min(left, right);
    if (legs > 2 || left < 8 * modules[0]) return null;
    const cosine = ((one.x - corner.x) * (other.x - corner.x) + (one.y - corner.y) * (other.y - corner.y))
        / (left * right);
    if (Math.abs(cosine) > 0.6) return null;
    // The rows of a picture grow downwards: from the right one to the lower one is clockwise.
    const turn = (one.x - corner.x) * (other.y - corner.y) - (one.y - corner.y) * (other.x - corner.x);
    return { corner, ...(turn > 0 ? { right: one, below: other } : { right: other, below: one }),
        fault: (spread - 1) + (legs - 1) + Math.abs(cosine) };
}
