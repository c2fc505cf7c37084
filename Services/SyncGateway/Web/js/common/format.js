/** Formats times, amounts and quantities for people. Times are in the farm's time zone, not the reader's. */
import { locale, t, translated } from "./language.js";
import { shownArea, shownDifference, shownDigits, shownUnit, shownValue, shownWeight } from "./units.js";

/** Quantities by their names in the API: display name, display unit, decimal places. */
const quantities = {
    temperature: [t`Temperature`, "°C", 1], humidity: [t`Air humidity`, "%", 0], illuminance: [t`Light`, "lx", 0],
    "soil-moisture": [t`Soil moisture`, "%", 0], "leaf-wetness": [t`Leaf wetness`, "%", 0], rain: [t`Rain`, "mm", 1],
    "dew-point": [t`Dew point`, "°C", 1], pressure: [t`Air pressure`, "hPa", 0], co2: [t`Carbon dioxide`, "ppm", 0],
    conductivity: [t`Conductivity`, "µS/cm", 0], ph: ["pH", "", 1], battery: [t`Battery`, "%", 0],
    voltage: [t`Voltage`, "V", 2], rssi: [t`Signal strength`, "dBm", 0],
    "acceleration-x": [t`Acceleration x`, "m/s²", 2],
    "acceleration-y": [t`Acceleration y`, "m/s²", 2], "acceleration-z": [t`Acceleration z`, "m/s²", 2],
    pm25: [t`Fine dust PM2.5`, "µg/m³", 0], pm10: [t`Dust PM10`, "µg/m³", 0],
    voc: [t`Organic vapours`, "µg/m³", 0],
    level: [t`Liquid level`, "mm", 0], "fill-level": [t`Fill level`, "%", 0], volume: [t`Volume`, "l", 1],
    count: [t`Count`, "", 0], contact: [t`Door or window (1 = open)`, "", 0], leak: [t`Leak (1 = wet)`, "", 0],
    power: [t`Power`, "W", 1], energy: [t`Energy`, "kWh", 2],
    silence: [t`No report`, "min", 0],
    reception: [t`Nothing received`, "min", 0],
};

/** Quantities of the radio and of silence, which pages of a place leave out. */
const ofRadios = new Set(["silence", "reception", "battery", "voltage", "rssi",
    "acceleration-x", "acceleration-y", "acceleration-z"]);

const activities = {
    sowing: [t`Sowing`, t`Sown`], planting: [t`Planting`, t`Planted`], irrigating: [t`Irrigating`, t`Watered`],
    fertilising: [t`Fertilising`, t`Fertilised`],
    "plant-protection": [t`Plant protection`, t`Plant protection applied`],
    weeding: [t`Weeding`, t`Weeded`],
};

/** The quantities' names in the API, in the order of selection lists. */
export const quantityNames = Object.keys(quantities);

/** The activities' names in the API, in the order of selection lists. */
export const activityNames = Object.keys(activities);

/** @param {string} quantity `temperature-2` @returns {[string, string|null]} the quantity and the probe's number */
function probeOf(quantity) {
    const found = /^(.+)-([2-9])$/.exec(quantity);
    return found && quantities[found[1]] ? [found[1], found[2]] : [quantity, null];
}

/** @param {string} quantity @returns {[string, string, number]|undefined} display name, unit and decimal places */
function known(quantity) {
    return quantities[probeOf(quantity)[0]];
}

/** @param {string[]} names @returns {string[]} the quantities that describe a place, in the order of selection lists */
export function quantitiesOfPlaces(names) {
    const rank = (name) => {
        const [quantity, probe] = probeOf(name);
        const place = quantityNames.includes(quantity) ? quantityNames.indexOf(quantity) : quantityNames.length;
        return place + Number(probe ?? 0) / 10;
    };
    return names.filter((name) => !ofRadios.has(probeOf(name)[0])).sort((left, right) => rank(left) - rank(right));
}

/** @param {string} quantity @returns {string} `Soil moisture` */
export function quantityName(quantity) {
    const [, probe] = probeOf(quantity);
    return (known(quantity)?.[0] ?? quantity) + (probe === null ? "" : t`, probe ${probe}`);
}

/** @param {string} quantity @param {string} [unit] @returns {string} `°C`: the unit of the API, for values to enter */
export function unitOf(quantity, unit = "") {
    return known(quantity)?.[1] ?? unit;
}

/** @param {number} value @param {string} quantity @param {string} [unit] @returns {string} `21.5 °C` */
export function measured(value, quantity, unit) {
    const own = unitOf(quantity, unit);
    const name = shownUnit(own);
    return number(shownValue(value, own), shownDigits(known(quantity)?.[2] ?? 1, own))
        + (name === "" ? "" : `\u00a0${name}`);
}

/**
 * @param {number} value @param {number} limit @param {string} quantity
 * @param {number|null} [overMinutes] the minutes of a limit of change, of which `value` is the change
 * @returns {string} `9.1 °C, above the limit of 8 °C`, with enough decimal places to show the difference; of a limit of
 *     change `rose by 4.2 °C within 15 minutes, more than 3 °C`
 */
export function beyondLimit(value, limit, quantity, overMinutes) {
    const [, own, usual] = known(quantity) ?? ["", "", 1];
    const [unit, shown] = [shownUnit(own), overMinutes ? shownDifference : shownValue];
    let digits = shownDigits(usual, own);
    while (digits < 4 && number(shown(value, own), digits) === number(shown(limit, own), digits)) digits += 1;
    const text = (one) => number(shown(one, own), digits) + (unit === "" ? "" : `\u00a0${unit}`);
    if (overMinutes) {
        return t`${value > 0 ? t`rose` : t`fell`} by ${text(Math.abs(value))} within ${counted(overMinutes, "minute")},
            more than ${text(Math.abs(limit))}`;
    }
    return t`${text(value)}, ${value > limit ? t`above` : t`below`} the limit of ${text(limit)}`;
}

/** @param {string} kind @returns {string} `Irrigating` */
export function activityName(kind) {
    return activities[kind]?.[0] ?? kind;
}

/** @param {string} kind @returns {string} `Watered` */
export function activityDone(kind) {
    return activities[kind]?.[1] ?? kind;
}

/** @param {number} value @param {number} [digits] the maximum of decimal places @returns {string} `1,234.5` */
export function number(value, digits = 2) {
    const text = new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
    return (text === "-0" ? "0" : text).replace("-", "−");
}

/** @param {number} grams @returns {string} `12.5 kg` */
export function weight(grams) {
    const [value, unit, digits] = shownWeight(grams);
    return `${number(value, digits)}\u00a0${unit}`;
}

/** @param {{minor: number, currency: string}} amount @returns {string} `€3.90` */
export function money({ minor, currency }) {
    return moneyFormat(currency).format(minor / 10 ** moneyDigits(currency));
}

/**
 * Returns the amount that is still to be paid. Orders that an older build cached have no `owed`.
 * @param {{owed?: {minor: number, currency: string}, total: {minor: number, currency: string}, paid?: {minor: number}}}
 * order
 * @returns {{minor: number, currency: string}}
 */
export function stillOwed({ owed, total, paid }) {
    return owed ?? { minor: Math.max(0, total.minor - (paid?.minor ?? 0)), currency: total.currency };
}

/** @param {string} currency ISO 4217 @returns {number} its decimal places */
export function moneyDigits(currency) {
    return moneyFormat(currency).resolvedOptions().maximumFractionDigits;
}

/** @param {string} order its id @returns {string} the short number for the counter: the last five characters */
export function orderNumber(order) {
    return order.slice(-5).toUpperCase();
}

function moneyFormat(currency) {
    return new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay: "narrowSymbol" });
}

/** @param {number} squareMetres @returns {string} `1.2 ha` */
export function area(squareMetres) {
    const [value, unit, digits] = shownArea(squareMetres);
    return `${number(value, digits)}\u00a0${unit}`;
}

/** @param {string|null} code ISO 3166-1, two letters @returns {string|null} `Spain` */
export function country(code) {
    if (!/^[A-Z]{2}$/.test(code ?? "")) return null;
    return new Intl.DisplayNames(locale, { type: "region" }).of(code);
}

/** @param {number|string} time @param {string} [zone] @returns {string} `3 May 2026` */
export function day(time, zone) {
    return format(time, zone, { day: "numeric", month: "long", year: "numeric" });
}

/** @param {number|string} time @param {string} [zone] @returns {string} `3 May` */
export function dayOfYear(time, zone) {
    return format(time, zone, { day: "numeric", month: "short" });
}

/** @param {number|string} time @param {string} [zone] @returns {string} `14:05` */
export function clock(time, zone) {
    return format(time, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** @param {number|string} time @param {string} [zone] @returns {string} `3 May 2026, 14:05` */
export function dayAndClock(time, zone) {
    return `${day(time, zone)}, ${clock(time, zone)}`;
}

/** @param {number|string} time @param {string} zone @returns {string} `14:05` if it is today, else `3 May, 14:05` */
export function recently(time, zone) {
    const isToday = civilDate(time, zone) === civilDate(Date.now(), zone);
    return isToday ? clock(time, zone) : `${dayOfYear(time, zone)}, ${clock(time, zone)}`;
}

/** @param {number} from @param {number} to @param {string} zone @returns {string} `3 – 9 May 2026`, `3 May 2026` */
export function daysFromTo(from, to, zone) {
    /** @type {Intl.DateTimeFormatOptions} */
    const options = { timeZone: zone, day: "numeric", month: "long", year: "numeric" };
    return new Intl.DateTimeFormat(locale, options).formatRange(new Date(from), new Date(to));
}

/** @param {number|string} time @param {string} [zone] @returns {string} the civil date, `2026-05-03` */
export function civilDate(time, zone) {
    /** @type {Intl.DateTimeFormatOptions} */
    const options = { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" };
    return new Intl.DateTimeFormat("en-CA", options).format(new Date(time));
}

/**
 * @param {number|string} earlier @param {number|string} later @param {string} zone
 * @returns {number} calendar days between them
 */
export function daysBetween(earlier, later, zone) {
    return Math.round((Date.parse(civilDate(later, zone)) - Date.parse(civilDate(earlier, zone))) / 86_400_000);
}

/** @param {number} count @param {string} one @param {string} [many] @returns {string} `3 boxes` */
export function counted(count, one, many = `${one}s`) {
    return `${number(count, 0)}\u00a0${translated(count === 1 ? one : many)}`;
}

/**
 * Replaces RFC 3339 times in a text of the server.
 * @param {string} text
 * @param {string} [zone]
 * @returns {string} the text with times as `3 May 2026, 14:05`
 */
export function withTimesOf(text, zone) {
    return text.replace(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z/g, (_, time) => dayAndClock(`${time}Z`, zone));
}

function format(time, zone, options) {
    return new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }).format(new Date(time));
}
