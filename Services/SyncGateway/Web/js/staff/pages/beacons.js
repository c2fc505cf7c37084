/** The page of what is near each reader now. */
import { CachedLists } from "../../common/cache.js";
import { fill, h } from "../../common/dom.js";
import { counted, number } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { regionForm, regionList } from "../beacon-regions.js";
import { BeaconWatch, distanceText, readerTitle } from "../beacons.js";
import { loadLand } from "../farm.js";
import { asOf } from "../parts.js";

/** Receptions per second below which there are seconds without a vote, so that a decision takes longer. */
const Limits = { perSecond: 0.9 };

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const [land, regions, inventories] = await Promise.all([
        loadLand(cached), cached.list("/v1/beacon-regions"), cached.list("/v1/inventories")]);
    const titles = new Map(inventories.map(({ inventory, title }) => [inventory, title]));
    const lists = await Promise.all(inventories.map(async ({ inventory }) => {
        const items = await cached.list(`/v1/inventories/${inventory}/items`);
        return items.map((item) => ({ ...item, inventory }));
    }));
    const items = lists.flat();
    const names = new Map(items.filter(({ beacon }) => beacon).map((item) => [item.beacon, item]));
    const element = h("div", { id: "near" }, nothingYet("gauge", t`Waiting for a reader…`));
    const tagged = items.filter(({ beacon }) => beacon);
    const watch = new BeaconWatch(({ readings }) => fill(element, readings.length > 0
        ? readings.map((reading) => section(reading, names))
        : nothingYet("gauge", t`No reader receives anything now.`)), () => context.renew());
    return {
        title: t`What is near`,
        leave: () => watch.close(),
        content: [
            head(t`What is near`, t`The beacons that each reader receives now, the nearest first. Distances are rough:
                bodies and walls make a tag seem farther away. This page cannot scan by itself: a Bluetooth gateway or
                a program on a phone reads, and posts here each second.`),
            asOf(cached.since), element,
            regions.length > 0 && h("section.block", { id: "regions" }, h("h2", null, t`Regions`),
                regionList(context, regions, land)),
            context.can("grower") && h("div.card.block", null,
                regionForm(context, regions, tagged, (inventory) => titles.get(inventory) ?? inventory)),
            h("p", null, h("a", { href: "#/inventories" }, t`Inventories and stocktakes`), " · ",
                h("a", { href: "#/sensors" }, t`Sensors and gateways`)),
        ],
    };
}

/**
 * @param {import("../beacons.js").Reading} reading
 * @param {Map<string, any>} names the items by their beacons
 */
function section({ reader, nearest, beacons }, names) {
    const isBeacon = ({ beacon }) => !beacon.startsWith("ble:") || names.has(beacon);
    const [tags, others] = [beacons.filter(isBeacon), beacons.filter((one) => !isBeacon(one))];
    return h("section.block", { "data-reader": reader },
        h("h2", null, readerTitle(reader)),
        tags.length > 0 ? h("ul.rows", { role: "list" }, tags.map((tag) => row(tag, tag.beacon === nearest, names)))
            : h("p.quiet", null, t`No beacon.`),
        others.length > 0 && h("p.quiet", null, t`And ${counted(others.length, "device")} without a beacon's
            name.`));
}

function row(tag, isHeld, names) {
    const item = names.get(tag.beacon);
    const telemetry = [tag.volts !== undefined && t`battery ${number(tag.volts)} V`,
        tag.celsius !== undefined && `${number(tag.celsius)} °C`].filter(Boolean);
    return h("li", { "data-beacon": tag.beacon },
        h("p", null, item ? h("strong", null, h("a", { href: `#/inventories/${item.inventory}` }, item.title))
            : h("strong", null, tag.beacon), isHeld && t` · held to the reader`),
        h("p.quiet", null, [distanceText(tag), `${number(tag.rssi)} dBm`, ...telemetry, item && tag.beacon]
            .filter(Boolean).join(" · ")),
        tag.proximity !== "far" && tag.perSecond < Limits.perSecond && h("p.note", null,
            t`Received ${number(tag.perSecond)} times a second: too seldom to be decided in six seconds. Let the tag
                send every 350 ms or faster, and the reader post what it receives each second.`));
}
