/** Places farms on a map so that their touch areas do not overlap: joined into groups, or moved apart. */

/**
 * @template T
 * @typedef {object} Spot
 * @property {number} x @property {number} y its position
 * @property {T[]} things the items at this position
 */

const overlap = (one, other, size) => Math.abs(one.x - other.x) < size && Math.abs(one.y - other.y) < size;

/**
 * Joins items by the squares of a grid. A square is 1.5 times as large as a touch area, so spots near the centres of
 * their squares never overlap. A spot is moved to the mean position of its items if it overlaps no other spot there.
 * @template T
 * @param {{x: number, y: number, thing: T}[]} points
 * @param {number} size of a touch area, a square
 * @returns {Spot<T>[]}
 */
export function grouped(points, size) {
    const square = 1.5 * size;
    const squares = new Map();
    for (const point of points) {
        const name = `${Math.floor(point.x / square)} ${Math.floor(point.y / square)}`;
        squares.set(name, [...(squares.get(name) ?? []), point]);
    }
    const spots = [...squares].map(([name, held]) => {
        const [x, y] = name.split(" ").map((index) => (Number(index) + 0.5) * square);
        const mean = (member) => held.reduce((sum, one) => sum + one[member], 0) / held.length;
        const own = { x: mean("x"), y: mean("y") };
        const near = (value, middle) => Math.min(middle + size / 4, Math.max(middle - size / 4, value));
        return { x: near(own.x, x), y: near(own.y, y), own, things: held.map(({ thing }) => thing) };
    });
    for (const spot of spots) {
        const isFree = !spots.some((other) => other !== spot && overlap(other, spot.own, size));
        if (isFree) Object.assign(spot, spot.own);
    }
    return spots.map(({ x, y, things }) => ({ x, y, things }));
}

/**
 * Moves items apart: each is at its own position or at the nearest free one.
 * @template T
 * @param {{x: number, y: number, thing: T}[]} points
 * @param {number} size of a touch area, a square
 * @returns {(Spot<T> & {from: {x: number, y: number}})[]} `from` is the item's own position
 */
export function setApart(points, size) {
    const spots = [];
    for (const { x, y, thing } of points) {
        let found = null;
        for (let ring = 0; found === null; ring += 1) {
            found = around(ring).map(([right, down]) => ({ x: x + right * size * 1.01, y: y + down * size * 1.01 }))
                .find((one) => !spots.some((other) => overlap(one, other, size))) ?? null;
        }
        spots.push({ ...found, things: [thing], from: { x, y } });
    }
    return spots;
}

/** @param {number} ring @returns {[number, number][]} grid steps from the centre to a square ring, nearest first */
function around(ring) {
    const steps = Array.from({ length: 2 * ring + 1 }, (_, index) => index - ring);
    return steps.flatMap((right) => steps.map((down) => /** @type {[number, number]} */ ([right, down])))
        .filter(([right, down]) => Math.max(Math.abs(right), Math.abs(down)) === ring)
        .sort((one, other) => Math.hypot(...one) - Math.hypot(...other));
}
