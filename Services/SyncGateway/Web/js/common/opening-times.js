/** The opening times of a place in words. */
import { locale } from "./language.js";

/** @typedef {{weekdays: number[], from: string, to: string}} OpeningTime weekdays: 1 for Monday to 7 for Sunday */

/** @param {"short"|"long"} style @returns {string[]} the names of the days of a week, from Monday on */
export function weekdayNames(style) {
    const names = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: "UTC" });
    // 5 January 1970 was a Monday.
    return Array.from({ length: 7 }, (_, index) => names.format(new Date(Date.UTC(1970, 0, 5 + index))));
}

/**
 * Returns the times in words, such as `Mon–Fri 08:00–12:30, Sat 09:00–11:00`.
 * @param {OpeningTime[]|undefined} times
 */
export function openingText(times) {
    const names = weekdayNames("short");
    return (times ?? []).map(({ weekdays, from, to }) => `${runs(weekdays).map(([first, last]) =>
        [...new Set([names[first - 1], names[last - 1]])].join("–")).join(", ")} ${from}–${to}`).join(", ");
}

/** Returns the first and the last day of each run of days. @param {number[]} weekdays in order */
function runs(weekdays) {
    /** @type {[number, number][]} */
    const found = [];
    for (const day of weekdays) {
        const run = found.at(-1);
        if (run?.[1] === day - 1) run[1] = day;
        else found.push([day, day]);
    }
    return found;
}
