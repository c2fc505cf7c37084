/** The page that sets up beacons: numbers for each item, the settings of a tag, labels, and a check with a reader. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { fill, h } from "../../common/dom.js";
import { action } from "../../common/form.js";
import { counted, number } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { BeaconWatch, readerTitle } from "../beacons.js";
import { noSuch } from "../parts.js";

/**
 * What a stocktake needs: a tag that sends every 350 ms is received about twice a second in spite of losses; one
 * that is held to a reader has to be stronger than -75 dBm.
 */
const Limits = { perSecond: 0.9, milliseconds: 350, heldDecibels: -75 };

/** Returns the page. @param {import("../main.js").Context} context @param {string} name of the inventory */
export async function show(context, name) {
    const cached = new CachedLists();
    const inventory = (await cached.list("/v1/inventories")).find((one) => one.inventory === name);
    if (!inventory) return noSuch(t`inventory`, "#/inventories", t`All inventories`);
    const [items, proposals] = await Promise.all([
        cached.list(`/v1/inventories/${name}/items`), cached.list(`/v1/inventories/${name}/beacon-numbers`)]);
    const tagged = items.filter(({ beacon }) => beacon?.startsWith("ibeacon:"));
    const received = new Received();
    const rows = proposals.map((one) => proposal(context, name, items, one, received));
    return {
        title: t`Set up beacons`,
        leave: () => received.close(),
        content: [
            head(t`Set up beacons`, t`Tags (iBeacon) for ${inventory.title}: enter these numbers in the app of the
                tag’s maker, stick the label on, and check the tag at a reader.`),
            h("section.card.block.no-print", { id: "tag-settings" }, h("h2", null, t`Settings of each tag`),
                h("dl.facts", null,
                    fact("UUID", h("span.code", null, proposals[0]?.uuid ?? tagged[0]?.beacon.split(":")[1] ?? "")),
                    fact(t`Interval`, t`${Limits.milliseconds} ms or less`),
                    fact(t`Transmission power`, t`0 dBm; −4 dBm if the battery has to last longer`),
                    fact(t`Measured power at 1 m`, t`as the maker delivers it`)),
                h("p.quiet", null, t`A longer interval or less power makes a stocktake slow: each tag has to be
                    received in four of six seconds.`)),
            proposals.length > 0 ? h("section.block", { id: "proposals" },
                h("h2", null, t`${counted(proposals.length, "item")} without a beacon`),
                h("ul.rows", { role: "list" }, rows))
                : nothingYet("check", t`Every item has a beacon.`),
            tagged.length > 0 && h("section.block", { id: "tagged" },
                h("h2", null, t`${counted(tagged.length, "item")} with a beacon`),
                h("ul.rows", { role: "list" }, tagged.map((item) => h("li", { "data-item": item.item },
                    h("p", null, h("strong", null, item.title)), label(inventory.title, item),
                    received.check(item.beacon))))),
            h("p.no-print", null, tagged.length > 0 && h("button.button", { type: "button", onclick: () => print() },
                t`Print the labels`)),
            h("p", null, h("a", { href: `#/inventories/${name}` }, inventory.title), " · ",
                h("a", { href: "#/beacons" }, t`What is near`)),
        ],
    };
}

function fact(name, value) {
    return h("div", null, h("dt", null, name), h("dd", null, value));
}

/** What is stuck on the thing: its name, and the numbers of its tag. */
function label(inventory, { title, code, beacon }) {
    const [, uuid, major, minor] = beacon.split(":");
    return h("p.tag-label", null, h("strong", null, title), h("span", null, inventory),
        code && h("span.code", null, code), h("span", null, t`Major ${major}, minor ${minor}`),
        h("span.code", null, uuid));
}

function proposal(context, inventory, items, { item: name, title, major, minor, beacon }, received) {
    const item = items.find((one) => one.item === name);
    return h("li.no-print", { "data-item": name },
        h("p", null, h("strong", null, title), t` · major ${major}, minor ${minor}`),
        received.warning(beacon),
        item && action({
            name: `beacon ${name}`, label: t`Use these numbers for ${title}`, kind: "button-quiet",
            send: (key) => {
                const { changed: _changed, item: _item, ...stays } = item;
                return command("PUT", `/v1/items/${name}`, { ...stays, inventory, beacon }, key);
            },
            done: () => {
                context.announce(t`${title} has the beacon ${major}, ${minor}.`);
                return context.refresh();
            },
        }));
}

/** What readers receive now of the tags on the page. */
class Received {
    constructor() {
        /** @type {Map<string, (found: {tag: import("../beacons.js").Beacon, reader: string}|null) => void>} */
        this.shown = new Map();
        this.watch = new BeaconWatch((watch) => {
            for (const [beacon, draw] of this.shown) draw(strongest(watch.readings, beacon));
        });
    }

    close() {
        this.watch.close();
    }

    /** Says that a tag has numbers that are still free: of a tag that was copied, or set up for something else. */
    warning(beacon) {
        const note = h("p.note", { role: "status", hidden: true });
        this.shown.set(beacon, (found) => {
            note.hidden = found === null;
            say(note, found && t`A tag with these numbers is near ${readerTitle(found.reader)} already. If it is the
                one that you have just set up, use the numbers; otherwise there would be two of them.`);
        });
        return note;
    }

    /** Says how a tag is received. */
    check(beacon) {
        const note = h("p.quiet.no-print", { role: "status" }, t`Not received now.`);
        this.shown.set(beacon, (found) => {
            const problems = found ? problemsOf(found.tag) : [];
            note.className = problems.length > 0 ? "note no-print" : "quiet no-print";
            say(note, found === null ? t`Not received now.` : t`At ${readerTitle(found.reader)}:
                ${number(found.tag.perSecond)} times a second, ${number(found.tag.rssi)} dBm${problems.length > 0 ? `.
                ${problems.join(" ")}` : ": good."}`);
        });
        return note;
    }
}

/** Changes a text only if it is another one, so that screen readers do not repeat it. */
function say(element, text) {
    if (element.textContent !== (text ?? "")) fill(element, text);
}

function strongest(readings, beacon) {
    const found = readings.flatMap(({ reader, beacons }) => beacons.filter((tag) => tag.beacon === beacon)
        .map((tag) => ({ tag, reader })));
    return found.sort((one, other) => other.tag.rssi - one.tag.rssi)[0] ?? null;
}

/** @param {import("../beacons.js").Beacon} tag @returns {string[]} what is unsuitable about it */
export function problemsOf({ perSecond, rssi, metres }) {
    const isWeak = rssi <= Limits.heldDecibels;
    return [
        perSecond < Limits.perSecond
            && t`It is received too seldom: set its interval to ${Limits.milliseconds} ms or less.`,
        isWeak && metres <= 1 && t`It is weak although it seems near: its measured power at 1 m is set too low.`,
        isWeak && metres > 1 && t`Its signal is weak: if it is beside the reader, raise its transmission power.`,
        !isWeak && metres > 3 && t`It seems far although its signal is strong: its measured power at 1 m is too
            high.`,
    ].filter(Boolean);
}
