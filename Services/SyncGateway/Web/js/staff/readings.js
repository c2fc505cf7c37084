/** The history of measuring points: buckets from the server, and their worst value. */
import { get } from "../common/api.js";

const Limits = { pages: 400 };

/**
 * @typedef {object} Bucket
 * @property {string} at its start
 * @property {number} n reports in it
 * @property {number} [min] @property {number} [mean] @property {number} [max] @property {number} [last]
 * @property {number} [unitHoursAbove] @property {number} [unitHoursBelow]
 */

/**
 * @typedef {object} History
 * @property {Bucket[]} buckets those with reports, in order
 * @property {string} unit
 * @property {number} [above] the upper limit of the place
 * @property {number} [below] the lower limit
 * @property {number|null} hoursAbove unit-hours above the upper limit; null without one
 * @property {number|null} hoursBelow
 * @property {boolean} isCut there is more than was read; the buckets are those of the first part of the time
 */

/** @param {Record<string, string>} query @returns {string} the path of the API request */
export function readingsPath(query) {
    return `/v1/readings?${new URLSearchParams(query)}`;
}

/** Reads all pages of a history. @param {Record<string, string>} query @returns {Promise<History>} */
export async function loadHistory(query) {
    const items = [];
    let after = null;
    let page = null;
    for (let count = 0; count < Limits.pages && (page === null || after !== null); count += 1) {
        page = await get(readingsPath(after === null ? query : { ...query, after }));
        items.push(...page.items);
        after = page.next ?? null;
    }
    const { unit, above, below } = page;
    const sum = (name) => items.reduce((total, bucket) => total + (bucket[name] ?? 0), 0);
    return {
        buckets: items.filter(({ n }) => n > 0), unit, above, below,
        hoursAbove: above === undefined ? null : sum("unitHoursAbove"),
        hoursBelow: below === undefined ? null : sum("unitHoursBelow"), isCut: after !== null,
    };
}

/**
 * Returns the value that is farthest beyond the limits, or else nearest to them; null without limits or values.
 * @param {Bucket[]} buckets @param {{above?: number, below?: number}} limits
 * @returns {{value: number, at: string, isBeyond: boolean}|null}
 */
export function worstOf(buckets, { above, below }) {
    const values = buckets.flatMap(({ at, min, max }) => [
        above !== undefined && { value: max, excess: max - above, at },
        below !== undefined && { value: min, excess: below - min, at },
    ]).filter(Boolean);
    if (values.length === 0) return null;
    const worst = values.reduce((one, other) => (other.excess > one.excess ? other : one));
    return { value: worst.value, at: worst.at, isBeyond: worst.excess > 0 };
}
