/** Periods of a history in the farm's calendar: a day, week, month, year, or from one day to another. */
import { civilDate, day, daysFromTo } from "../common/format.js";
import { t } from "../common/language.js";
import { toInstant } from "../common/zones.js";

const dayMilliseconds = 86_400_000;

/** The kinds of periods and their names, in the order of the selection list. */
export const periodChoices = /** @type {[string, string][]} */ ([
    ["day", t`Day`], ["week", t`Week`], ["month", t`Month`], ["year", t`Year`], ["days", t`From one day to another`],
]);

/**
 * @typedef {object} Period
 * @property {string} kind
 * @property {string} first civil date, `2026-05-03`
 * @property {string} last civil date, included
 * @property {string} day the day with which a form begins: today if it is part of the period, else the first
 * @property {number} from milliseconds since 1970
 * @property {number} to its end, not included
 * @property {"15m"|"1h"|"1d"} resolution the buckets in which a curve of the period is shown
 */

/**
 * Returns the period that the address names; the week until today if it names none.
 * @param {{kind?: string|null, on?: string|null, to?: string|null}} given `on` is a day of it, or the first of `days`
 * @param {string} zone @param {number} now
 * @returns {Period}
 */
export function periodOf({ kind, on, to }, zone, now) {
    const today = civilDate(now, zone);
    const known = periodChoices.some(([name]) => name === kind) ? String(kind) : "week";
    const start = isDate(on) ? String(on) : today;
    const [first, last] = known === "days" ? ordered(start, isDate(to) ? String(to) : today) : around(known, start);
    const from = instant(first, zone);
    const end = instant(shifted(last, 1), zone);
    const shown = known !== "days" && first <= today && today <= last ? today : first;
    const resolution = resolutionOf((end - from) / dayMilliseconds);
    return { kind: known, first, last, day: shown, from, to: end, resolution };
}

/** @param {Period} period @param {number} by -1 or 1 @returns {{kind: string, on: string, to: string}} its neighbour */
export function neighbour({ kind, first, last }, by) {
    const length = Math.round((Date.parse(last) - Date.parse(first)) / dayMilliseconds) + 1;
    const on = by < 0 ? shifted(first, kind === "days" ? -length : -1) : shifted(last, 1);
    return { kind, on, to: kind === "days" ? shifted(on, length - 1) : "" };
}

/** @param {Period} period @param {string} zone @returns {string} `3 – 9 May 2026` */
export function periodName({ from, to }, zone) {
    return to - from < 1.1 * dayMilliseconds ? day(from, zone) : daysFromTo(from, to - 1, zone);
}

function around(kind, on) {
    const date = new Date(`${on}T00:00Z`);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const written = (inMonth, inDay) => new Date(Date.UTC(year, inMonth, inDay)).toISOString().slice(0, 10);
    if (kind === "year") return [written(0, 1), written(11, 31)];
    if (kind === "month") return [written(month, 1), written(month + 1, 0)];
    if (kind === "day") return [on, on];
    const monday = shifted(on, -((date.getUTCDay() + 6) % 7));
    return [monday, shifted(monday, 6)];
}

function resolutionOf(days) {
    if (days <= 2.1) return "15m";
    return days <= 45 ? "1h" : "1d";
}

function ordered(one, other) {
    return one <= other ? [one, other] : [other, one];
}

function isDate(text) {
    return /^\d{4}-\d\d-\d\d$/.test(text ?? "") && Number.isFinite(Date.parse(text));
}

function shifted(date, days) {
    return new Date(Date.parse(`${date}T00:00Z`) + days * dayMilliseconds).toISOString().slice(0, 10);
}

function instant(date, zone) {
    return Date.parse(toInstant(`${date}T00:00`, zone));
}
