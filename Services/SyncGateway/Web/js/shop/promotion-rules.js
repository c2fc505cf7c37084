/**
 * Which promotions are shown on this device. The rules come with the records of the shop; where the device is, and what
 * the person likes, stays here. Pure.
 */
import { wallClock } from "../common/zones.js";

/** Milliseconds for which a promotion stays in view without counting as shown once more. */
export const showingMilliseconds = 30 * 60_000;
const EARTH_RADIUS = 6_371_008.8;

/**
 * @typedef {object} Circumstances
 * @property {number} now milliseconds since 1970
 * @property {{latitude: number, longitude: number}|null} position null if it is not known
 * @property {string} host the address of these pages, `bus.local:8091`: a node's, or the farm's
 * @property {import("./preferences.js").Preferences} preferences
 * @property {string} person the person, or this device if there is no account
 * @property {Record<string, {day: string, count: number, last: number}>} shown by promotion
 */

/**
 * Returns the promotions that apply, the most important first; `isHeldBack` are those that this person does not see.
 * @param {any[]} promotions the records @param {import("./catalog.js").Catalog} catalog
 * @param {Circumstances} circumstances
 * @returns {any[]}
 */
export function applying(promotions, catalog, circumstances) {
    if (!circumstances.preferences.promotions) return [];
    return promotions
        .map((promotion) => ({ ...promotion, products: productsOf(promotion, catalog) }))
        .filter((promotion) => promotion.products.length > 0 && isTime(promotion, catalog, circumstances.now)
            && isFor(promotion, catalog, circumstances.preferences) && isHere(promotion, circumstances)
            && isOftenEnough(promotion, catalog, circumstances))
        .map((promotion) => ({ ...promotion,
            isHeldBack: share(circumstances.person, promotion.id) < promotion.heldBackPercent }))
        .sort((left, right) => right.priority - left.priority || Date.parse(left.until) - Date.parse(right.until)
            || left.id.localeCompare(right.id));
}

/** The products that it is about and that can be bought now: a lot that is held, recalled or sold out has none. */
function productsOf({ product, category, lot }, catalog) {
    return catalog.products.filter((one) => (product ? one.id === product : one.category === category)
        && one.offers.some((offer) => offer.closed === null && (!lot || offer.lot === lot)));
}

function isTime({ from, until, hours, beforeClosing, farm }, catalog, now) {
    if (now < Date.parse(from) || now >= Date.parse(until)) return false;
    const local = new Date(wallClock(now, catalog.farmsByName.get(farm)?.zone ?? hours?.zone ?? "UTC"));
    const weekday = (local.getUTCDay() + 6) % 7 + 1;
    const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
    const isInHours = !hours || ((hours.weekdays.length === 0 || hours.weekdays.includes(weekday))
        && minute >= minuteOf(hours.from ?? "00:00") && minute < minuteOf(hours.to ?? "24:00"));
    if (!isInHours || !beforeClosing) return isInHours;
    const place = catalog.pickups.find(({ id }) => id === beforeClosing.pickup);
    return (place?.opens ?? []).some(({ weekdays, from: opens, to: closes }) => weekdays.includes(weekday)
        && minute >= Math.max(minuteOf(opens), minuteOf(closes) - beforeClosing.minutes) && minute < minuteOf(closes));
}

/** @param {string} clock `08:30` */
function minuteOf(clock) {
    const [hour, minute] = clock.split(":").map(Number);
    return hour * 60 + minute;
}

function isFor({ audience, products, product, farm }, catalog, preferences) {
    if (audience === "favourites") {
        return catalog.liked.has(`farm.${farm}`)
            || (product ? catalog.liked.has(`product.${product}`)
                : products.some(({ id }) => catalog.liked.has(`product.${id}`)));
    }
    if (audience === "interested") return products.some(({ category }) => preferences.kinds.includes(category));
    return true;
}

function isHere({ area, county, node, beacons }, { position, preferences, host }) {
    // A browser receives no beacons; apps do.
    if (beacons || (node && node !== host)) return false;
    if (county && county.toLowerCase() !== preferences.county.toLowerCase()) return false;
    return !area || (position !== null && metres(position, area) <= area.metres);
}

function isOftenEnough({ id, farm, timesPerDay }, catalog, { now, shown }) {
    const before = shown[id];
    if (!before || before.day !== dayAt(now, catalog, farm)) return true;
    return now - before.last < showingMilliseconds || before.count < timesPerDay;
}

/** Returns the date at the farm. @param {number} now */
export function dayAt(now, catalog, farm) {
    const zone = catalog.farmsByName.get(farm)?.zone ?? "UTC";
    return new Date(wallClock(now, zone)).toISOString().slice(0, 10);
}

/** Returns the log of showings after these promotions were shown. */
export function noted(shown, promotions, catalog, now) {
    const log = { ...shown };
    for (const { id, farm } of promotions) {
        const day = dayAt(now, catalog, farm);
        const before = log[id];
        const isSame = before?.day === day;
        const isNew = !isSame || now - before.last >= showingMilliseconds;
        log[id] = { day, count: (isSame ? before.count : 0) + (isNew ? 1 : 0), last: isNew ? now : before.last };
    }
    return log;
}

/** Returns the metres between two places on a sphere (haversine). */
export function metres(left, right) {
    const radians = (degrees) => degrees * Math.PI / 180;
    const height = radians(right.latitude - left.latitude);
    const width = radians(right.longitude - left.longitude);
    const square = Math.sin(height / 2) ** 2
        + Math.cos(radians(left.latitude)) * Math.cos(radians(right.latitude)) * Math.sin(width / 2) ** 2;
    return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(square)));
}

/** Returns a number from 0 to 99 that is fixed for a person and a promotion (FNV-1a). */
export function share(person, promotion) {
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(`${person}|${promotion}`)) {
        hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    }
    // The low bits of FNV alone are unevenly distributed.
    hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b) >>> 0;
    return ((hash ^ (hash >>> 16)) >>> 0) % 100;
}
