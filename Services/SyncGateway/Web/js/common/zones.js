/** Converts between the farm's local time, which people enter, and UTC, which is sent. */

/**
 * Returns the local time at the farm as if it were UTC.
 * @param {number} time milliseconds since 1970
 * @param {string} zone IANA
 * @returns {number} milliseconds since 1970
 */
export function wallClock(time, zone) {
    const parts = {};
    for (const { type, value } of formatter(zone).formatToParts(new Date(time))) parts[type] = Number(value);
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/**
 * Converts a value of a `datetime-local` control to UTC.
 * @param {string} local `2026-05-03T07:30`
 * @param {string} zone IANA
 * @returns {string|null} RFC 3339; the earlier instant if the local time occurs twice; null if `local` is not a time
 */
export function toInstant(local, zone) {
    const wall = Date.parse(`${local}Z`);
    if (!Number.isFinite(wall)) return null;
    const hours = 3_600_000;
    const guesses = [wall - 15 * hours, wall + 15 * hours].map((time) => wall - (wallClock(time, zone) - time));
    const found = guesses.filter((time) => wallClock(time, zone) === wall).sort((left, right) => left - right);
    return new Date(found[0] ?? guesses[0]).toISOString();
}

/** @param {number|string} time @param {string} zone @returns {string} the value for a `datetime-local` control */
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
