/** Reads the modules of a QR code: format, mask, words, corrected blocks (ISO/IEC 18004, 7 and 8). Pure. */
import { correct } from "./reed-solomon.js";
import { textOf } from "./segments.js";

/** By the two bits of the format: M, L, H, Q. Check words of a block and the number of blocks, for versions 1 to 40. */
const levels = [
    {
        checks: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28,
            28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
        blocks: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28,
            29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49],
    },
    {
        checks: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
        blocks: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16,
            17, 18, 19, 19, 20, 21, 22, 24, 25],
    },
    {
        checks: [17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
        blocks: [1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42,
            45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81],
    },
    {
        checks: [13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
        blocks: [1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35,
            38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68],
    },
];

/** Whether a mask inverts the module in a row and a column. */
const masks = [
    (row, column) => (row + column) % 2 === 0,
    (row) => row % 2 === 0,
    (_row, column) => column % 3 === 0,
    (row, column) => (row + column) % 3 === 0,
    (row, column) => ((row >> 1) + Math.floor(column / 3)) % 2 === 0,
    (row, column) => (row * column) % 2 + (row * column) % 3 === 0,
    (row, column) => ((row * column) % 2 + (row * column) % 3) % 2 === 0,
    (row, column) => ((row + column) % 2 + (row * column) % 3) % 2 === 0,
];

const Format = { mask: 0b101010000010010, generator: 0b10100110111, errors: 3 };
/** The 32 formats with their check bits. */
const formats = Array.from({ length: 32 }, (_, data) => {
    let rest = data << 10;
    for (let bit = 14; bit >= 10; bit -= 1) if (rest >> bit & 1) rest ^= Format.generator << (bit - 10);
    return (data << 10 | rest) ^ Format.mask;
});

/**
 * @typedef {{size: number, dark: Uint8Array}} Modules by rows
 */

/** Returns the middles of the alignment patterns in a row or column. @param {number} version @returns {number[]} */
export function alignments(version) {
    if (version === 1) return [];
    const count = Math.floor(version / 7) + 2;
    const last = 4 * version + 10;
    const step = version === 32 ? 26 : Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, index) => last - step * (count - 2 - index))];
}

/** @param {Modules} modules @returns {string|null} the text; null if these are not the modules of a QR code */
export function read(modules) {
    const { size } = modules;
    const version = (size - 17) / 4;
    const format = formatOf(modules);
    if (format === null) return null;
    const level = levels[format >> 3];
    const words = wordsOf(modules, version, masks[format & 7]);
    const blocks = blocksOf(words, level.blocks[version - 1], level.checks[version - 1]);
    const data = [];
    for (const { block, count } of blocks) {
        if (!correct(block, level.checks[version - 1])) return null;
        data.push(block.subarray(0, count));
    }
    try {
        return textOf(Uint8Array.from(data.flatMap((one) => [...one])), version);
    } catch {
        return null;
    }
}

/** The format, of which there are two copies; null if both have too many errors. */
function formatOf({ size, dark }) {
    const at = (row, column) => dark[row * size + column];
    let [one, other] = [0, 0];
    for (let index = 0; index < 15; index += 1) {
        const place = index < 6 ? index : index < 8 ? index + 1 : 14 - index;
        one |= (index < 8 ? at(place, 8) : at(8, index === 8 ? 7 : place)) << index;
        other |= (index < 8 ? at(8, size - 1 - index) : at(size - 15 + index, 8)) << index;
    }
    let [best, least] = [-1, Format.errors + 1];
    for (let data = 0; data < 32; data += 1) {
        for (const copy of [one, other]) {
            const errors = ones(copy ^ formats[data]);
            if (errors < least) [best, least] = [data, errors];
        }
    }
    return best < 0 ? null : best;
}

function ones(value) {
    let count = 0;
    for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
    return count;
}

/** The words in the order in which they stand: in columns of two, from the right, up and down in turn. */
function wordsOf({ size, dark }, version, isInverted) {
    const isFixed = fixedModules(size, version);
    const words = [];
    let [word, bits] = [0, 0];
    for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
        if (right === 6) right = 5;
        for (let step = 0; step < size; step += 1) {
            const row = isUp ? size - 1 - step : step;
            for (const column of [right, right - 1]) {
                if (isFixed[row * size + column]) continue;
                word = word << 1 | dark[row * size + column] ^ (isInverted(row, column) ? 1 : 0);
                bits += 1;
                if (bits < 8) continue;
                words.push(word);
                [word, bits] = [0, 0];
            }
        }
    }
    return words;
}

/** The modules that have no data: finders, timing, alignment, format and version. */
function fixedModules(size, version) {
    const fixed = new Uint8Array(size * size);
    const mark = (row, column, height, width) => {
        for (let y = row; y < row + height; y += 1) fixed.fill(1, y * size + column, y * size + column + width);
    };
    mark(0, 0, 9, 9);
    mark(0, size - 8, 9, 8);
    mark(size - 8, 0, 8, 9);
    mark(6, 0, 1, size);
    mark(0, 6, size, 1);
    const middles = alignments(version);
    const last = middles[middles.length - 1];
    for (const row of middles) {
        for (const column of middles) {
            const isFinder = (row === 6 && (column === 6 || column === last)) || (row === last && column === 6);
            if (!isFinder) mark(row - 2, column - 2, 5, 5);
        }
    }
    if (version >= 7) {
        mark(0, size - 11, 6, 3);
        mark(size - 11, 0, 3, 6);
    }
    return fixed;
}

/** Takes the words of each block out of the order in which they are interleaved. */
function blocksOf(words, blocks, checks) {
    const long = words.length % blocks;
    const count = Math.floor(words.length / blocks) - checks;
    const result = Array.from({ length: blocks }, (_, index) => {
        const mine = count + (index >= blocks - long ? 1 : 0);
        return { block: new Uint8Array(mine + checks), count: mine };
    });
    let at = 0;
    for (let place = 0; place <= count; place += 1) {
        for (const one of result) if (place < one.count) one.block[place] = words[at++];
    }
    for (let place = 0; place < checks; place += 1) {
        for (const one of result) one.block[one.count + place] = words[at++];
    }
    return result;
}
