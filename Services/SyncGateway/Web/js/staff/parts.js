/**
 * Pieces that several staff pages are made of.
 */
import { h, when } from "../common/dom.js";
import { beyondLimit, dayAndClock, measured, quantitiesOfPlaces, quantityName, recently } from "../common/format.js";
import { icon } from "../common/icons.js";
import { head, nothingYet } from "../common/parts.js";

/** @param {number|null} since @returns {HTMLElement|null} that there is no connection, and how old this is */
export function asOf(since) {
    return since !== null && h("p.as-of", null, icon("offline"), h("span", null,
        "No connection. As of ", when(since, dayAndClock(since)), "."));
}

/**
 * What is shown where there is nothing of that name.
 * @param {string} what `plot` @param {string} path of all of them @param {string} link its text
 * @returns {{title: string, content: any[]}}
 */
export function noSuch(what, path, link) {
    const title = `${what.charAt(0).toUpperCase()}${what.slice(1)} not found`;
    const way = h("a", { href: path }, link);
    return { title, content: [head(title), nothingYet("info", `This ${what} does not exist.`, way)] };
}

/** @param {[string, any][]} rows @returns {HTMLElement} those that have a value */
export function facts(rows) {
    return h("dl.facts", null, rows.filter(([, value]) => Boolean(value))
        .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/**
 * Said where something was heard that cannot be used yet.
 * @param {string} what it is about
 * @returns {HTMLElement}
 */
export function waitingNote(what) {
    return h("p.lot-alarm.waiting", null, icon("clock"),
        `${what} could not be processed yet: this page may be incomplete.`);
}

/**
 * The newest value of each quantity at a place.
 * @param {Record<string, {value: number, unit: string, at: string}>} latest
 * @param {string} zone
 * @returns {HTMLElement}
 */
export function latestValues(latest, zone) {
    const names = quantitiesOfPlaces(Object.keys(latest ?? {}));
    if (names.length === 0) return h("p.quiet", null, "No sensor yet.");
    return h("dl.latest", null, names.map((quantity) => {
        const { value, unit, at } = latest[quantity];
        return h("div", { "data-quantity": quantity },
            h("dt", null, quantityName(quantity)),
            h("dd", null, h("strong", null, measured(value, quantity, unit)),
                h("span.quiet", null, when(at, recently(at, zone)))));
    }));
}

/**
 * @param {{place: string, quantity: string, value: number, limit?: number}} alarm
 * @param {string} title of the place
 * @returns {string}
 */
export function alarmSentence({ quantity, value, limit }, title) {
    const told = Number.isFinite(limit) ? beyondLimit(value, limit, quantity) : measured(value, quantity);
    return `${title}: ${quantityName(quantity).toLowerCase()} ${told}`;
}

/** @param {string} title @returns {string} a name that the API accepts: lower case letters, digits, hyphens */
export function shortName(title) {
    const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
}

/** @param {string} wished @param {Set<string>} taken @returns {string} the name, or the next free one like it */
export function freeName(wished, taken) {
    const base = wished === "" ? "x" : wished;
    for (let number = 1; ; number += 1) {
        const name = number === 1 ? base : `${base.slice(0, 36)}-${number}`;
        if (!taken.has(name)) return name;
    }
}
