/** Reads QR codes in pictures (ISO/IEC 18004:2015). Pure. */
import { triplesOf } from "./finders.js";
import { halved, midpoints, thresholded } from "./pixels.js";
import { hasTiming, mappings, sampled, sharpened, sizesOf } from "./sampling.js";
import { read } from "./symbol.js";

/** The ways to separate dark from light pixels, by the longer side of a picture. */
const ways = [
    (picture, side) => thresholded(picture, Math.round(side / 12), 6),
    (picture, side) => midpoints(picture, Math.round(side / 50)),
    (picture, side) => thresholded(picture, Math.round(side / 28), 4),
    (picture, side) => midpoints(picture, Math.round(side / 25)),
    (picture, side) => thresholded(picture, Math.round(side / 16), 1),
    (picture, side) => thresholded(picture, Math.round(side / 6), 12),
];
/** What is given back to a module of what blur has taken. */
const sharpenings = [0, 0.25];
/** How many mappings are tried for a picture: most of the time goes there. */
const Limits = { halvedFrom: 400, photograph: 120, frame: 16 };

/** @param {import("./pixels.js").Grey} picture @returns {string|null} the text of a code; null if none is found */
export function readQR(picture) {
    const tries = { left: Limits.photograph };
    for (const way of ways) {
        const text = readBy(way, picture, tries);
        if (text !== null) return text;
    }
    return null;
}

/**
 * Reads a picture of a video, in a part of the time: the ways take turns.
 * @param {import("./pixels.js").Grey} picture @param {number} number of the picture in the video
 */
export function readFrame(picture, number) {
    return readBy(ways[number % ways.length], picture, { left: Limits.frame });
}

function readBy(way, picture, tries) {
    const pictures = [picture];
    if (Math.max(picture.width, picture.height) > Limits.halvedFrom) pictures.push(halved(picture));
    for (const one of pictures) {
        const text = readBits(one, way(one, Math.max(one.width, one.height)), tries);
        if (text !== null) return text;
    }
    return null;
}

/** @param {import("./pixels.js").Grey} picture @param {import("./pixels.js").Bits} bits @returns {string|null} */
function readBits(picture, bits, tries) {
    for (const triple of triplesOf(bits)) {
        for (const size of sizesOf(triple)) {
            for (const map of mappings(bits, triple, size)) {
                if (tries.left === 0) return null;
                tries.left -= 1;
                const modules = sampled(bits, size, map);
                if (!hasTiming(modules)) continue;
                const text = readEither(modules) ?? readSharpened(picture, size, map);
                if (text !== null) return text;
            }
        }
    }
    return null;
}

function readSharpened(picture, size, map) {
    for (const share of sharpenings) {
        const text = readEither(sharpened(picture, size, map, share));
        if (text !== null) return text;
    }
    return null;
}

function readEither(modules) {
    return read(modules) ?? read(mirrored(modules));
}

/** The code as it is seen in a mirror or through glass. */
function mirrored({ size, dark }) {
    return { size, dark: dark.map((_, index) => dark[(index % size) * size + Math.floor(index / size)]) };
}
