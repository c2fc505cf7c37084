/** Grey pictures, and the same in black and white. Pure. */

/**
 * @typedef {{width: number, height: number, values: Uint8Array|Uint8ClampedArray}} Grey brightness of each pixel
 * @typedef {{width: number, height: number, dark: Uint8Array}} Bits 1 for each dark pixel
 */

/**
 * @param {{width: number, height: number, data: Uint8ClampedArray}} picture RGBA, as a canvas gives it
 * @returns {Grey}
 */
export function greyOf({ width, height, data }) {
    const values = new Uint8Array(width * height);
    for (let index = 0, at = 0; index < values.length; index += 1, at += 4) {
        values[index] = (data[at] * 77 + data[at + 1] * 151 + data[at + 2] * 28) >> 8;
    }
    return { width, height, values };
}

/** Returns the picture at half its size: noise and blur count less. @param {Grey} picture @returns {Grey} */
export function halved({ width, height, values }) {
    const [columns, rows] = [width >> 1, height >> 1];
    const smaller = new Uint8Array(columns * rows);
    for (let y = 0; y < rows; y += 1) {
        for (let x = 0; x < columns; x += 1) {
            const at = 2 * y * width + 2 * x;
            const sum = values[at] + values[at + 1] + values[at + width] + values[at + width + 1];
            smaller[y * columns + x] = sum >> 2;
        }
    }
    return { width: columns, height: rows, values: smaller };
}

/**
 * Separates dark from light pixels by the mean around each, so that shadows do not matter (Bradley and Roth, 2007).
 * @param {Grey} picture @param {number} radius of the square around a pixel
 * @param {number} percent how much darker than the mean a dark pixel is @returns {Bits}
 */
export function thresholded({ width, height, values }, radius, percent) {
    const sums = sumsOf(values, width, height);
    const dark = new Uint8Array(width * height);
    const stride = width + 1;
    for (let y = 0; y < height; y += 1) {
        const top = Math.max(0, y - radius) * stride;
        const bottom = Math.min(height, y + radius + 1) * stride;
        for (let x = 0; x < width; x += 1) {
            const left = Math.max(0, x - radius);
            const right = Math.min(width, x + radius + 1);
            const area = (right - left) * (bottom - top) / stride;
            const sum = sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left];
            dark[y * width + x] = values[y * width + x] * area * 100 < sum * (100 - percent) ? 1 : 0;
        }
    }
    return { width, height, dark };
}

/**
 * Separates dark from light pixels by the middle between the darkest and the lightest around each, which the edge of a
 * shadow shifts in a narrow band only.
 * @param {Grey} picture @param {number} side of a block in pixels; it is compared with the blocks around it
 * @returns {Bits}
 */
export function midpoints({ width, height, values }, side) {
    const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
    const least = new Uint8Array(columns * rows).fill(255);
    const most = new Uint8Array(columns * rows);
    for (let y = 0; y < height; y += 1) {
        const block = Math.floor(y / side) * columns;
        for (let x = 0; x < width; x += 1) {
            const at = block + Math.floor(x / side);
            const value = values[y * width + x];
            if (value < least[at]) least[at] = value;
            if (value > most[at]) most[at] = value;
        }
    }
    const middles = new Float32Array(columns * rows);
    for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < columns; column += 1) {
            let [low, high] = [255, 0];
            for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
                for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
                    low = Math.min(low, least[y * columns + x]);
                    high = Math.max(high, most[y * columns + x]);
                }
            }
            // Nearly one colour: light.
            middles[row * columns + column] = high - low < Math.max(12, high / 5) ? 0 : (low + high) / 2;
        }
    }
    const dark = new Uint8Array(width * height);
    for (let y = 0; y < height; y += 1) {
        const block = Math.floor(y / side) * columns;
        for (let x = 0; x < width; x += 1) {
            dark[y * width + x] = values[y * width + x] < middles[block + Math.floor(x / side)] ? 1 : 0;
        }
    }
    return { width, height, dark };
}

/** Returns the sums of all pixels above and to the left of each corner; modulo 2³², which differences do not notice. */
function sumsOf(values, width, height) {
    const stride = width + 1;
    const sums = new Uint32Array(stride * (height + 1));
    for (let y = 0; y < height; y += 1) {
        let row = 0;
        for (let x = 0; x < width; x += 1) {
            row += values[y * width + x];
            sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row;
        }
    }
    return sums;
}

/** Whether there is a dark pixel; outside the picture all is light. @param {Bits} bits */
export function isDark({ width, height, dark }, x, y) {
    const [column, row] = [Math.floor(x), Math.floor(y)];
    return column >= 0 && row >= 0 && column < width && row < height && dark[row * width + column] === 1;
}
