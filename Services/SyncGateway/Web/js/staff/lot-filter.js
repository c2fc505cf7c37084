/** What the page of lots is asked for: words, plot, day of harvest, and where it goes on. It is part of the address. */
import { toInstant } from "../common/zones.js";

/** Lots on one page. */
export const Limits = { lots: 40 };

/**
 * @typedef {object} LotFilter
 * @property {string} q words of a lot's number, product or item number, or a serial number
 * @property {string} plot
 * @property {string} day `2026-05-03`, at the farm
 * @property {string} after where the page goes on
 */

/** @param {string} [query] of the address @returns {LotFilter} */
export function filterOf(query = "") {
    const given = new URLSearchParams(query);
    const told = (name) => given.get(name) ?? "";
    return { q: told("q"), plot: told("plot"), day: told("day"), after: told("after") };
}

/** @param {Partial<LotFilter>} filter @returns {string} the address of the page */
export function addressOf(filter) {
    const query = written(filter);
    return query === "" ? "/lots" : `/lots?${query}`;
}

/** @param {LotFilter} filter @param {string} zone @returns {string} the path of the API */
export function pathOf({ q, plot, day, after }, zone) {
    const [from, to] = day ? [day, nextDay(day)].map((one) => toInstant(`${one}T00:00`, zone)) : [];
    const given = { q: searched(q), plot, from, to, limit: String(Limits.lots), after };
    return `/v1/lots?${written(given)}`;
}

/**
 * @param {any[]} lots kept on this device @param {LotFilter} filter @param {(farm: string) => string} zone
 * @param {(time: string, zone: string) => string} civilDate
 * @returns {any[]} those that fit, without the server
 */
export function filtered(lots, { q, plot, day }, zone, civilDate) {
    const words = searched(q).toLowerCase().split(" ").filter(Boolean);
    return lots.filter((lot) => {
        const text = `${lot.lot} ${lot.product} ${lot.gtin}`.toLowerCase();
        return words.every((word) => text.includes(word)) && (!plot || lot.plot === plot)
            && (!day || (lot.harvested && civilDate(lot.harvested, zone(lot.farm)) === day));
    });
}

/** @param {string} text typed, or the address that a scanner reads off a label @returns {string} */
function searched(text) {
    const label = /\/01\/\d{8,14}\/10\/([A-Z0-9-]+)(?:\/21\/([A-Z0-9]+))?/i.exec(text);
    return label ? label[2] ?? label[1] : text.trim();
}

/** A blank as `%20`: only forms know it as `+`. */
function written(given) {
    return String(new URLSearchParams(Object.entries(given).filter(([, value]) => value))).replaceAll("+", "%20");
}

function nextDay(day) {
    return new Date(Date.parse(`${day}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
