/** The filter of the page of lots. It is part of the page's address. */
import { toInstant } from "../common/zones.js";

/** The number of lots on one page. */
export const Limits = { lots: 40 };

/**
 * @typedef {object} LotFilter
 * @property {string} q search words: lot number, product, item number or serial number
 * @property {string} plot
 * @property {string} day of harvest, `2026-05-03`, in the farm's time zone
 * @property {string} after the cursor of the next page
 */

/** Parses the filter. @param {string} [query] of the address @returns {LotFilter} */
export function filterOf(query = "") {
    const given = new URLSearchParams(query);
    const param = (name) => given.get(name) ?? "";
    return { q: param("q"), plot: param("plot"), day: param("day"), after: param("after") };
}

/** @param {Partial<LotFilter>} filter @returns {string} the address of the filtered page */
export function addressOf(filter) {
    const query = written(filter);
    return query === "" ? "/lots" : `/lots?${query}`;
}

/** @param {LotFilter} filter @param {string} zone @returns {string} the path of the API request */
export function pathOf({ q, plot, day, after }, zone) {
    const [from, to] = day ? [day, nextDay(day)].map((one) => toInstant(`${one}T00:00`, zone)) : [];
    const given = { q: searched(q), plot, from, to, limit: String(Limits.lots), after };
    return `/v1/lots?${written(given)}`;
}

/**
 * Filters cached lots, for when the server cannot be reached.
 * @param {any[]} lots @param {LotFilter} filter @param {(farm: string) => string} zone
 * @param {(time: string, zone: string) => string} civilDate
 * @returns {any[]} the matching lots
 */
export function filtered(lots, { q, plot, day }, zone, civilDate) {
    const words = searched(q).toLowerCase().split(" ").filter(Boolean);
    return lots.filter((lot) => {
        const text = `${lot.lot} ${lot.product} ${lot.gtin}`.toLowerCase();
        return words.every((word) => text.includes(word)) && (!plot || lot.plot === plot)
            && (!day || (lot.harvested && civilDate(lot.harvested, zone(lot.farm)) === day));
    });
}

/** @param {string} text typed, or the address on a scanned label @returns {string} the search words */
function searched(text) {
    const label = /\/01\/\d{8,14}\/10\/([A-Z0-9-]+)(?:\/21\/([A-Z0-9]+))?/i.exec(text);
    return label ? label[2] ?? label[1] : text.trim();
}

/** Encodes a query with spaces as `%20`; `+` is a space in form data only. */
function written(given) {
    return String(new URLSearchParams(Object.entries(given).filter(([, value]) => value))).replaceAll("+", "%20");
}

function nextDay(day) {
    return new Date(Date.parse(`${day}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
