/**
 * Wall clocks of other places: what a grower types is the time at the farm, what is sent is UTC.
 */

/**
 * @param {number} time milliseconds since 1970
 * @param {string} zone IANA
 * @returns {number} what the farm's wall clock shows at that moment, as if it were UTC
 */
export function wallClock(time, zone) {
    const parts = {};
    for (const { type, value } of formatter(zone).formatToParts(new Date(time))) parts[type] = Number(value);
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/**
 * @param {string} local `2026-05-03T07:30`, as `datetime-local` gives it
 * @param {string} zone IANA
 * @returns {string|null} RFC 3339 in UTC; the earlier moment if the clock shows it twice, null for no time
 */
export function toInstant(local, zone) {
    const wall = Date.parse(`${local}Z`);
    if (!Number.isFinite(wall)) return null;
    const hours = 3_600_000;
    const guesses = [wall - 15 * hours, wall + 15 * hours].map((time) => wall - (wallClock(time, zone) - time));
    const found = guesses.filter((time) => wallClock(time, zone) === wall).sort((left, right) => left - right);
    return new Date(found[0] ?? guesses[0]).toISOString();
}

/** @param {number|string} time @param {string} zone @returns {string} for `datetime-local` */
export function toLocal(time, zone) {
    return new Date(wallClock(new Date(time).getTime(), zone)).toISOString().slice(0, 16);
}

const formatters = new Map();

function formatter(zone) {
    if (!formatters.has(zone)) {
        formatters.set(zone, new Intl.DateTimeFormat("en-GB", {
            timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric",
            minute: "numeric", second: "numeric",
        }));
    }
    return formatters.get(zone);
}
