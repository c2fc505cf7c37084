/** A lot's passport: the event that contains it, and its story with validated members. */
import { text } from "./bytes.js";
import { insist } from "./failure.js";

const eventType = "farm.furrow.trace.passport-issued.v1";
const writer = /^trace-ledger\//;

/**
 * Parses the event and checks that it is the passport of the entry and the label.
 * @param {Uint8Array} bytes of the event, already verified against the entry
 * @param {import("./entry.js").Entry} entry
 * @param {{gtin: string, lot: string}} label
 * @returns {Story}
 * @throws {VerificationFailure} `story-unreadable`, `story-of-something-else`, `story-of-another-lot`
 */
export function openPassport(bytes, entry, label) {
    let event = null;
    try {
        event = JSON.parse(text(bytes));
    } catch {
        event = null;
    }
    insist(event !== null && typeof event === "object", "story-unreadable");
    const isPassport = event.type === eventType && event.source === `/${entry.origin}` && writer.test(entry.origin)
        && event.originepoch === entry.epoch && event.originpos === String(entry.pos);
    insist(isPassport, "story-of-something-else");
    const passport = event.data?.passport;
    insist(passport?.v === 1, "story-unreadable");
    const isOfLot = event.data.lot === label.lot && passport.lot === label.lot && passport.gtin === label.gtin;
    insist(isOfLot, "story-of-another-lot", { lot: String(passport.lot) });
    return { ...readStory(passport), issued: time(event.recordedtime) ?? time(event.time) };
}

/**
 * @typedef {object} Done an activity on the plot
 * @property {string} kind
 * @property {number} happened milliseconds since 1970, as all times in this file
 * @property {number|null} recorded
 * @property {{substance: string|null, amount: number|null, unit: string|null, waitingDays: number|null}} details
 * @property {string|null} reason of the correction
 *
 * @typedef {object} Step
 * @property {string} what
 * @property {number} at
 * @property {string|null} place
 * @property {string|null} to
 * @property {number|null} grams
 * @property {number|null} boxes
 * @property {string|null} reason why it was recalled
 *
 * @typedef {object} Climate
 * @property {string} place
 * @property {string} role `field` or `store`
 * @property {string} quantity
 * @property {string} unit
 * @property {number|null} from
 * @property {number|null} to
 * @property {number} min
 * @property {number} mean
 * @property {number} max
 * @property {[number, number, number, number][]} hours hour since 1970, lowest, mean, highest
 *
 * @typedef {object} Alarm
 * @property {string} place
 * @property {string} quantity
 * @property {number} value
 * @property {number} limit
 * @property {number|null} overMinutes
 * @property {number|null} raised
 * @property {number|null} cleared
 *
 * @typedef {object} Photograph of the place where the lot was then
 * @property {string} place
 * @property {number|null} taken
 * @property {string} preview the SHA-256 of the picture's bytes, as of its thumbnail
 * @property {string} thumbnail
 * @property {number} width of the preview in pixels
 * @property {number} height
 *
 * @typedef {object} Story
 * @property {string} lot
 * @property {string} gtin
 * @property {string} product
 * @property {{title: string, country: string|null, zone: string}} farm
 * @property {{title: string, areaSquareMetres: number|null}} plot
 * @property {number|null} harvested
 * @property {number|null} grams
 * @property {number|null} boxes
 * @property {string|null} recalled the reason of a recall
 * @property {string|null} held the reason of a hold
 * @property {string|null} released the reason of the release after a hold
 * @property {string|null} parent
 * @property {string[]} children
 * @property {(Done & {correctedTo: Done|null})[]} activities
 * @property {Step[]} custody
 * @property {Climate[]} readings
 * @property {Alarm[]} alarms
 * @property {Photograph[]} photographs
 * @property {{children: number, activities: number, custody: number, readings: number, alarms: number,
 *     photographs: number}} omitted the number of oldest items of each list that the passport omits
 * @property {number|null} issued when the passport was recorded
 */

/** @param {any} passport @returns {Omit<Story, "issued">} */
function readStory(passport) {
    return {
        lot: passport.lot,
        gtin: passport.gtin,
        product: string(passport.product) ?? "",
        farm: {
            title: string(passport.farm?.title) ?? "",
            country: string(passport.farm?.country),
            zone: zone(passport.farm?.zone),
        },
        plot: { title: string(passport.plot?.title) ?? "", areaSquareMetres: number(passport.plot?.areaSquareMetres) },
        harvested: time(passport.harvested),
        grams: number(passport.grams),
        boxes: number(passport.boxes),
        recalled: string(passport.recalled),
        held: string(passport.held),
        released: string(passport.released),
        parent: string(passport.parent),
        children: list(passport.children).map((child) => string(child?.lot ?? child)).filter((lot) => lot !== null),
        activities: list(passport.activities).map(readActivity),
        custody: list(passport.custody).map(readStep),
        readings: list(passport.readings).map(readClimate),
        alarms: list(passport.alarms).map(readAlarm),
        photographs: list(passport.photographs).map(readPhotograph),
        omitted: readOmitted(passport.omitted),
    };
}

/** @param {any} value @returns {Done & {correctedTo: Done|null}} */
function readActivity(value) {
    const right = value?.correctedTo;
    return { ...readDone(value), correctedTo: right === null || right === undefined ? null : readDone(right) };
}

/** @param {any} value @returns {Done} */
function readDone(value) {
    const { substance, amount, unit, waitingDays } = value?.details ?? {};
    return {
        kind: needed(string(value?.kind)),
        happened: needed(time(value.happened)),
        recorded: time(value.recorded),
        details: {
            substance: string(substance), amount: number(amount), unit: string(unit), waitingDays: number(waitingDays),
        },
        reason: string(value.reason),
    };
}

/** @param {any} value @returns {Step} */
function readStep(value) {
    return {
        what: needed(string(value?.what)), at: needed(time(value.at)), place: string(value.place),
        to: string(value.to), grams: number(value.grams), boxes: number(value.boxes), reason: string(value.reason),
    };
}

/** @param {any} value @returns {Climate} */
function readClimate(value) {
    /** @type {Climate["hours"]} */
    const hours = list(value?.hours).map((row) => {
        insist(Array.isArray(row) && row.length >= 4 && row.every(Number.isFinite), "story-unreadable");
        return [row[0], row[1], row[2], row[3]];
    });
    return {
        place: string(value.place) ?? "", role: string(value.role) ?? "", quantity: needed(string(value.quantity)),
        unit: string(value.unit) ?? "", from: time(value.from), to: time(value.to), min: needed(number(value.min)),
        mean: needed(number(value.mean)), max: needed(number(value.max)), hours,
    };
}

/** @param {any} value @returns {Alarm} */
function readAlarm(value) {
    return {
        place: string(value?.place) ?? "", quantity: needed(string(value.quantity)), value: needed(number(value.value)),
        limit: needed(number(value.limit)), overMinutes: number(value.overMinutes),
        raised: time(value.raised), cleared: time(value.cleared),
    };
}

/** @param {any} value @returns {Photograph} */
function readPhotograph(value) {
    return {
        place: string(value?.place) ?? "", taken: time(value.taken), preview: needed(string(value.preview)),
        thumbnail: needed(string(value.thumbnail)), width: needed(number(value.width)),
        height: needed(number(value.height)),
    };
}

/** @param {any} value @returns {Story["omitted"]} */
function readOmitted(value) {
    const count = (name) => number(value?.[name]) ?? 0;
    return {
        children: count("children"), activities: count("activities"), custody: count("custody"),
        readings: count("readings"), alarms: count("alarms"), photographs: count("photographs"),
    };
}

/** @param {unknown} value @returns {string|null} */
function string(value) {
    return typeof value === "string" ? value : null;
}

/** @param {any} value @returns {number|null} */
function number(value) {
    return Number.isFinite(value) ? value : null;
}

/** @param {unknown} value @returns {any[]} */
function list(value) {
    return Array.isArray(value) ? value : [];
}

/** Parses RFC 3339. @param {unknown} value @returns {number|null} milliseconds since 1970 */
export function time(value) {
    if (typeof value !== "string") return null;
    const milliseconds = Date.parse(value.replace(/(\.[0-9]{3})[0-9]+/, "$1"));
    return Number.isFinite(milliseconds) ? milliseconds : null;
}

/** @param {unknown} value @returns {string} an IANA time zone that the browser supports; UTC for others */
function zone(value) {
    try {
        return new Intl.DateTimeFormat("en-GB", { timeZone: string(value) ?? "UTC" }).resolvedOptions().timeZone;
    } catch {
        return "UTC";
    }
}

/** @template T @param {T|null} value @returns {T} @throws {VerificationFailure} `story-unreadable` */
function needed(value) {
    insist(value !== null, "story-unreadable");
    return value;
}
