/** Elements that several of the staff's pages share. */
import { h, when } from "../common/dom.js";
import { beyondLimit, dayAndClock, measured, quantitiesOfPlaces, quantityName, recently } from "../common/format.js";
import { icon } from "../common/icons.js";
import { inSentence, t } from "../common/language.js";
import { head, nothingYet } from "../common/parts.js";

/** Returns the note that the page shows cached data. @param {number|null} since null if the data is current */
export function asOf(since) {
    return since !== null && h("p.as-of", null, icon("offline"), h("span", null,
        t`No connection. As of `, when(since, dayAndClock(since)), "."));
}

/**
 * Returns the page for an unknown id.
 * @param {string} what `plot` @param {string} path of the list of all @param {string} link its text
 * @returns {{title: string, content: any[]}}
 */
export function noSuch(what, path, link) {
    const title = t`${what.charAt(0).toUpperCase()}${what.slice(1)} not found`;
    const way = h("a", { href: path }, link);
    return { title, content: [head(title), nothingYet("info", t`This ${what} does not exist.`, way)] };
}

/** Returns a description list of the rows that have a value. @param {[string, any][]} rows @returns {HTMLElement} */
export function facts(rows) {
    return h("dl.facts", null, rows.filter(([, value]) => Boolean(value))
        .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/**
 * Returns the note that a received event is parked or not processed yet.
 * @param {string} what the event concerns
 * @returns {HTMLElement}
 */
export function unprocessedNote(what) {
    return h("p.lot-alarm.waiting", null, icon("clock"),
        t`${what} could not be processed yet: this page may be incomplete.`);
}

/**
 * Returns the latest value of each quantity at a place.
 * @param {Record<string, {value: number, unit: string, at: string}>} latest
 * @param {string} zone
 * @returns {HTMLElement}
 */
export function latestValues(latest, zone) {
    const names = quantitiesOfPlaces(Object.keys(latest ?? {}));
    if (names.length === 0) return h("p.quiet", null, t`No sensor yet.`);
    return h("dl.latest", null, names.map((quantity) => {
        const { value, unit, at } = latest[quantity];
        return h("div", { "data-quantity": quantity },
            h("dt", null, quantityName(quantity)),
            h("dd", null, h("strong", null, measured(value, quantity, unit)),
                h("span.quiet", null, when(at, recently(at, zone)))));
    }));
}

/**
 * Returns `Cold room: temperature 9.1 °C, above the limit of 8 °C`.
 * @param {{
 *     place: string, quantity: string, value: number, limit?: number, overMinutes?: number, device?: string,
 *     goods?: string, lots?: string[]
 * }} alarm
 * @param {string} title of the place
 * @returns {string}
 */
export function alarmSentence({ quantity, value, limit, overMinutes, device, goods, lots = [] }, title) {
    if (quantity === "reception") return t`${receiver(device)}: nothing received for ${measured(value, quantity)}`;
    if (quantity === "silence") return t`${title}: no report for ${measured(value, quantity)}`;
    const which = lots.length > 0 ? ` (${lots.length === 1 ? t`lot` : t`lots`} ${lots.join(", ")})` : "";
    if (quantity === "goods-conflict") return t`${title}: no climate suits all goods there, ${goods}${which}`;
    const values = Number.isFinite(limit)
        ? beyondLimit(value, limit, quantity, overMinutes) : measured(value, quantity);
    return `${title}: ${inSentence(quantityName(quantity))} ${values}${goods ? t` for ${goods}${which}` : ""}`;
}

/** Returns the name of a receiver for people: `Gateway barn`. @param {string} source `gateway/barn` */
export function receiver(source = "") {
    const [, kind, name] = source.match(/^(gateway\/|mqtt\/|znp:|hci:)(.*)$/u) ?? ["", "", source];
    const kinds = { "znp:": t`ZigBee coordinator `, "hci:": t`Bluetooth receiver `, "": "" };
    return `${kinds[kind] ?? t`Gateway `}${name}`;
}

/** Returns an id for a title: lower case letters, digits and hyphens. @param {string} title @returns {string} */
export function shortName(title) {
    const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
}

/** @param {string} wished @param {Set<string>} taken @returns {string} the id, with a number if it is taken */
export function freeName(wished, taken) {
    const base = wished === "" ? "x" : wished;
    for (let number = 1; ; number += 1) {
        const name = number === 1 ? base : `${base.slice(0, 36)}-${number}`;
        if (!taken.has(name)) return name;
    }
}

/**
 * Fills the other controls with the current values when an existing record is selected for a change.
 * @param {any} choice @param {Record<string, any>} controls
 * @param {(name: string) => Record<string, any>|undefined} find
 */
export function followChoice(choice, controls, find) {
    choice.addEventListener("change", () => {
        const known = find(choice.value);
        if (!known) return;
        for (const [name, control] of Object.entries(controls)) {
            if (control === choice) continue;
            if (control.type === "checkbox") control.checked = known[name] !== false;
            else control.value = known[name] ?? "";
        }
    });
}
