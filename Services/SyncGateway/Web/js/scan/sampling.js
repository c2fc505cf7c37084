/** Reads the modules between three finders: the code may be turned, tilted and seen in perspective. Pure. */
import { isDark } from "./pixels.js";
import { alignments } from "./symbol.js";

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {(column: number, row: number) => Point} Mapping from modules to pixels
 */

const Sizes = { least: 21, most: 177 };

/** The numbers of modules along a side that fit three finders, the most likely ones first. */
export function sizesOf({ corner, right, below }) {
    const guess = (side(corner, right) + side(corner, below)) / 2 + 7;
    const nearest = Math.round((guess - 17) / 4) * 4 + 17;
    const wide = Math.max(4, Math.round(guess * 0.15 / 4) * 4);
    const sizes = [];
    for (let step = -wide; step <= wide; step += 4) sizes.push(nearest + step);
    return sizes.filter((size) => size >= Sizes.least && size <= Sizes.most)
        .sort((one, other) => Math.abs(one - guess) - Math.abs(other - guess));
}

/** The modules between the middles of two finders. A turned finder seems larger along rows and columns. */
function side(one, other) {
    const [x, y] = [Math.abs(other.x - one.x), Math.abs(other.y - one.y)];
    const long = Math.hypot(x, y);
    return long / (Math.sqrt(one.module * other.module) * Math.max(x, y) / long);
}

/**
 * The mappings that may be right for a size, the likely ones first. What is certain are three points; the fourth one is
 * the alignment pattern near the lower right corner, or a guess. Each mapping is fitted to the modules that are known.
 * @param {import("./pixels.js").Bits} bits @param {import("./finders.js").Triple} triple @param {number} size
 * @returns {Generator<Mapping>}
 */
export function* mappings(bits, triple, size) {
    const version = (size - 17) / 4;
    const [first, last] = [3.5, size - 3.5];
    const known = knownModules(size, version);
    const corners = [[first, first], [last, first], [first, last], [last, last]];
    const guess = fourthOf(triple);
    const rough = mapping(corners, [triple.corner, triple.right, triple.below, guess]);
    if (version > 1) {
        const at = size - 6.5;
        for (const point of patternsNear(bits, rough, at, version)) {
            const map = mapping([...corners.slice(0, 3), [at, at]], [triple.corner, triple.right, triple.below, point]);
            yield fitted(bits, corners, corners.map((one) => map(...one)), known);
        }
        yield fitted(bits, corners, corners.map((one) => rough(...one)), known);
        return;
    }
    for (const shift of [0, 1, -1, 2, -2, 3, -3]) {
        for (const other of [0, 1, -1, 2, -2, 3, -3]) {
            const target = [triple.corner, triple.right, triple.below, rough(last + shift, last + other)];
            const map = mapping(corners, target);
            yield shift === 0 && other === 0 ? fitted(bits, corners, target, known) : map;
        }
    }
}

/**
 * Where the fourth finder would be. Homogeneous coordinates are linear, and what is farther away is smaller: the mean
 * size of a module goes with the third root of the square of the distance.
 */
function fourthOf({ corner, right, below }) {
    const [a, b, c] = [corner, right, below].map(({ module }) => module ** (-2 / 3));
    const scale = Math.max(0.3 * a, b + c - a);
    return { x: (b * right.x + c * below.x - a * corner.x) / scale,
        y: (b * right.y + c * below.y - a * corner.y) / scale };
}

/**
 * The modules whose colour is known: finders with their light borders, timing, alignment patterns.
 * @returns {[number, number, boolean][]} column, row, whether it is dark
 */
function knownModules(size, version) {
    /** @type {[number, number, boolean][]} */
    const known = [];
    const square = (column, row, reach, isRing) => {
        for (let down = -reach; down <= reach; down += 1) {
            for (let right = -reach; right <= reach; right += 1) {
                const [x, y] = [column + right, row + down];
                if (x < 0 || y < 0 || x >= size || y >= size) continue;
                known.push([x + 0.5, y + 0.5, isRing(Math.max(Math.abs(right), Math.abs(down)))]);
            }
        }
    };
    const isFinder = (ring) => ring !== 2 && ring !== 4;
    for (const [column, row] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(column, row, 4, isFinder);
    for (let index = 8; index < size - 8; index += 1) {
        known.push([index + 0.5, 6.5, index % 2 === 0], [6.5, index + 0.5, index % 2 === 0]);
    }
    const middles = alignments(version);
    const last = middles[middles.length - 1];
    for (const row of middles) {
        for (const column of middles) {
            const isTaken = (row === 6 && (column === 6 || column === last)) || (row === last && column === 6);
            if (!isTaken) square(column, row, 2, (ring) => ring !== 1);
        }
    }
    return known;
}

/** Moves the corners until most of the known modules have their colour. @returns {Mapping} */
function fitted(bits, corners, target, known) {
    const points = target.map(({ x, y }) => ({ x, y }));
    let map = mapping(corners, points);
    let best = agreement(bits, map, known);
    const module = Math.hypot(points[1].x - points[0].x, points[1].y - points[0].y) / (corners[1][0] - corners[0][0]);
    for (let step = 0.6 * module; step > 0.1 * module; step /= 2) {
        for (let round = 0, isBetter = true; isBetter && round < 4; round += 1) {
            isBetter = false;
            for (const index of [3, 0, 1, 2]) {
                for (const [right, down] of directions) {
                    const { x, y } = points[index];
                    points[index] = { x: x + right * step, y: y + down * step };
                    const next = mapping(corners, points);
                    const score = agreement(bits, next, known);
                    if (score > best) [best, map, isBetter] = [score, next, true];
                    else points[index] = { x, y };
                }
            }
        }
    }
    return map;
}

const directions = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];

/** How many points of known modules have their colour; those near a module's edge count too, so that it is centred. */
function agreement(bits, map, known) {
    let score = 0;
    for (const [column, row, isKnownDark] of known) {
        for (const shift of [-0.25, 0.25]) {
            const { x, y } = map(column + shift, row + shift);
            if (isDark(bits, x, y) === isKnownDark) score += 1;
        }
    }
    return score;
}

/** Where a square of five modules with a light ring may be, the best ones first. */
function patternsNear(bits, map, middle, version) {
    const reach = Math.min(8, 3 + version / 3);
    /** @type {{column: number, row: number, score: number}[]} */
    const found = [];
    for (let row = middle - reach; row <= middle + reach; row += 0.5) {
        for (let column = middle - reach; column <= middle + reach; column += 0.5) {
            const score = likeness(bits, map, column, row);
            if (score >= 20) found.push({ column, row, score });
        }
    }
    found.sort((one, other) => other.score - one.score
        || Math.hypot(one.column - middle, one.row - middle) - Math.hypot(other.column - middle, other.row - middle));
    const best = [];
    for (const one of found) {
        if (best.length === 4) break;
        if (best.some(({ column, row }) => Math.hypot(column - one.column, row - one.row) < 2)) continue;
        best.push(one);
    }
    return best.map(({ column, row }) => map(column, row));
}

/** How many of the 25 modules around a middle are as in an alignment pattern. */
function likeness(bits, map, column, row) {
    let score = 0;
    for (let down = -2; down <= 2; down += 1) {
        for (let right = -2; right <= 2; right += 1) {
            const isRing = Math.max(Math.abs(down), Math.abs(right)) !== 1;
            const { x, y } = map(column + right, row + down);
            if (isDark(bits, x, y) === isRing) score += 1;
        }
    }
    return score;
}

/** The perspective mapping of four points to four others. @returns {Mapping} */
function mapping(source, target) {
    const rows = [];
    source.forEach(([u, v], index) => {
        const { x, y } = target[index];
        rows.push([u, v, 1, 0, 0, 0, -u * x, -v * x, x], [0, 0, 0, u, v, 1, -u * y, -v * y, y]);
    });
    const [a, b, c, d, e, f, g, h] = solved(rows);
    return (u, v) => {
        const scale = g * u + h * v + 1;
        return { x: (a * u + b * v + c) / scale, y: (d * u + e * v + f) / scale };
    };
}

/** Solves linear equations (Gauss, with the largest pivot). */
function solved(rows) {
    const count = rows.length;
    for (let column = 0; column < count; column += 1) {
        let pivot = column;
        for (let row = column + 1; row < count; row += 1) {
            if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
        }
        [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
        for (let row = 0; row < count; row += 1) {
            if (row === column) continue;
            const factor = rows[row][column] / rows[column][column];
            for (let index = column; index <= count; index += 1) rows[row][index] -= factor * rows[column][index];
        }
    }
    return rows.map((row, index) => row[count] / row[index]);
}

/** The modules as black and white pixels show them. @param {import("./pixels.js").Bits} bits @param {Mapping} map */
export function sampled(bits, size, map) {
    const dark = new Uint8Array(size * size);
    for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
            let votes = 0;
            for (const [right, down] of votesOf) {
                const { x, y } = map(column + 0.5 + right, row + 0.5 + down);
                if (isDark(bits, x, y)) votes += 1;
            }
            dark[row * size + column] = votes >= 3 ? 1 : 0;
        }
    }
    return { size, dark };
}

const votesOf = [[0, 0], [0.2, 0], [-0.2, 0], [0, 0.2], [0, -0.2]];

/**
 * The modules as grey pixels show them: each is compared with the lightest and the darkest around it, after the share
 * that blur has taken from its neighbours is given back.
 * @param {import("./pixels.js").Grey} picture @param {number} size @param {Mapping} map
 * @param {number} sharpening the share
 */
export function sharpened(picture, size, map, sharpening) {
    const seen = new Float32Array(size * size);
    for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
            let sum = 0;
            for (const [right, down] of votesOf) {
                const { x, y } = map(column + 0.5 + right, row + 0.5 + down);
                sum += brightness(picture, x, y);
            }
            seen[row * size + column] = sum;
        }
    }
    const at = (values, column, row) =>
        values[Math.min(size - 1, Math.max(0, row)) * size + Math.min(size - 1, Math.max(0, column))];
    const values = seen.map((value, index) => {
        const [column, row] = [index % size, Math.floor(index / size)];
        const around = at(seen, column - 1, row) + at(seen, column + 1, row) + at(seen, column, row - 1)
            + at(seen, column, row + 1);
        return value + sharpening * (4 * value - around);
    });
    const dark = new Uint8Array(size * size);
    for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
            let [least, most] = [Infinity, -Infinity];
            for (let y = Math.max(0, row - 4); y <= Math.min(size - 1, row + 4); y += 1) {
                for (let x = Math.max(0, column - 4); x <= Math.min(size - 1, column + 4); x += 1) {
                    const value = values[y * size + x];
                    if (value < least) least = value;
                    if (value > most) most = value;
                }
            }
            dark[row * size + column] = 2 * values[row * size + column] < least + most ? 1 : 0;
        }
    }
    return { size, dark };
}

function brightness({ width, height, values }, x, y) {
    const column = Math.min(width - 1, Math.max(0, Math.floor(x)));
    const row = Math.min(height - 1, Math.max(0, Math.floor(y)));
    return values[row * width + column];
}

/** Whether the dotted lines between the finders alternate mostly; most wrong guesses end here. */
export function hasTiming({ size, dark }) {
    let right = 0;
    for (let index = 8; index < size - 8; index += 1) {
        const expected = index % 2 === 0 ? 1 : 0;
        if (dark[6 * size + index] === expected) right += 1;
        if (dark[index * size + 6] === expected) right += 1;
    }
    return right >= 2 * (size - 16) * 0.7;
}
