/** What a stocktake has found so far, as this device knows it: the server's lines and its own counts. Pure. */
import { t } from "../common/language.js";

/** What the states of lines, and decisions about them, are called. @type {Record<string, string>} */
export const stateNames = {
    found: t`found`, missing: t`missing`, doubled: t`doubled`, unexpected: t`unexpected`, removed: t`removed`,
    present: t`present`, ignored: t`ignored`,
};

/**
 * @typedef {object} Line
 * @property {string} thing `item/…`, or what was seen of an unexpected thing
 * @property {string} title
 * @property {"found"|"missing"|"doubled"|"unexpected"|"removed"} state
 * @property {boolean} isOpen whether somebody has to decide before the end
 * @property {boolean} isWaiting whether it was counted on this device and not sent yet
 * @property {any} [item] of the server's line
 */

/**
 * @param {string[]} texts the lines of the server
 * @param {string[]} waiting the things that were counted on this device and not sent yet
 * @param {string[]} seen the things that were counted since the server sent its lines
 * @returns {Line[]}
 */
export function linesOf(texts, waiting, seen = []) {
    const { items, names } = read(texts);
    const counted = new Set(waiting.map((thing) => names.get(thing) ?? thing));
    const newer = new Set(seen.map((thing) => names.get(thing) ?? thing));
    const known = items.map((item) => {
        const thing = thingOf(item);
        const isWaiting = counted.delete(thing);
        const state = (isWaiting || newer.has(thing)) && item.state === "missing" ? "found" : item.state;
        const isOpen = ["missing", "doubled", "unexpected"].includes(state) && item.resolved === undefined;
        return { thing, title: item.title ?? titleOf(thing), state, isOpen, isWaiting, item };
    });
    const others = [...counted].map((thing) => ({
        thing, title: titleOf(thing), state: /** @type {const} */ ("unexpected"), isOpen: false, isWaiting: true,
    }));
    return [...known, ...others];
}

/**
 * Returns what a typed text names: the code of an item, its short name, its name, or a code that nobody knows.
 * @param {string} text @param {string[]} texts the lines of the server
 */
export function thingNamed(text, texts) {
    const items = read(texts).items.filter(({ item }) => item !== undefined);
    if (items.some(({ code }) => code === text)) return `code/${text}`;
    const same = items.filter(({ item, title }) => item === text || title.toLowerCase() === text.toLowerCase());
    return same.length === 1 ? `item/${same[0].item}` : `code/${text}`;
}

/** Returns everything that names an item. @param {string[]} texts the lines of the server @returns {Set<string>} */
export function thingsOf(texts) {
    return read(texts).things;
}

/** Returns the lines as they are in the report. @param {string[]} texts the lines of the server @returns {any[]} */
export function itemsOf(texts) {
    return read(texts).items;
}

/**
 * What was read of lines, so that a thousand counts do not read ten thousand lines each.
 * @type {WeakMap<string[], any>}
 */
const known = new WeakMap();

function read(texts) {
    const before = known.get(texts);
    if (before) return before;
    const items = texts.map((text) => JSON.parse(text));
    const names = namesOf(items);
    const result = { items, names, things: new Set([...names.keys(), ...items.map(thingOf)]) };
    known.set(texts, result);
    return result;
}

function namesOf(items) {
    const names = new Map();
    for (const { item, beacon, code } of items) {
        if (item === undefined) continue;
        if (beacon !== undefined) names.set(`beacon/${beacon}`, `item/${item}`);
        if (code !== undefined) names.set(`code/${code}`, `item/${item}`);
    }
    return names;
}

function thingOf({ item, thing }) {
    return item === undefined ? thing : `item/${item}`;
}

function titleOf(thing) {
    const [kind, ...rest] = thing.split("/");
    return `${kind === "code" ? t`Code` : kind === "beacon" ? t`Beacon` : t`Item`} ${rest.join("/")}`;
}
