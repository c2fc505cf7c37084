/** The page of the farm's map: a picture with a pin for each plot and store, and what lies there. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { fill, h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted } from "../../common/format.js";
import { groupBy } from "../../common/groups.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { asOf } from "../parts.js";
import { PictureField } from "../picture-field.js";
import { planView, SpotField } from "../plan.js";

/**
 * @typedef {{place: string, spot: import("../plan.js").Spot}} MapPin
 * @typedef {{farm: string, plan: string, pins: MapPin[]}} FarmMap
 */

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const [land, maps, inventories] = await Promise.all([
        loadLand(cached), cached.list("/v1/farm-maps"), cached.list("/v1/inventories")]);
    const lists = await Promise.all(inventories.map(async ({ inventory, place }) => {
        const items = await cached.list(`/v1/inventories/${inventory}/items`);
        return items.map((item) => ({ ...item, inventory, place: item.place ?? place }));
    }));
    const items = groupBy(lists.flat(), ({ place }) => place ?? "");
    return {
        title: t`Map of the farm`,
        content: [
            head(t`Map of the farm`, t`Where the plots and stores are, and which things of the inventories lie there.`),
            asOf(cached.since),
            land.farms.length === 0 && nothingYet("sprout", t`Create the farm first.`),
            land.farms.map((farm) =>
                farmSection(context, farm, maps.find((one) => one.farm === farm.farm), land, items)),
            h("p", null, h("a", { href: "#/inventories" }, t`All inventories`)),
        ],
    };
}

/**
 * @param {any} context @param {any} farm @param {FarmMap|undefined} map @param {import("../farm.js").Land} land
 * @param {Map<string, any[]>} items by place
 */
function farmSection(context, { farm, title }, map, land, items) {
    const places = land.placeChoices.filter(([place]) => land.places.get(place).farm === farm);
    return h("section.block", { "data-farm": farm }, h("h2", null, title),
        map ? view(map, title, land, items) : h("p.quiet", null, t`This farm has no map yet.`),
        context.can("grower") && map && places.length > 0
            && h("div.card.block", null, pinForm(context, map, places)),
        context.can("grower") && h("div.block", null, h("details.fold.card", { open: !map },
            h("summary", null, map ? t`Another picture` : t`Add a map`), pictureForm(context, farm, map))));
}

function view({ plan, pins }, title, land, items) {
    const chosen = h("div.block");
    const shown = h("div");
    const draw = (place) => {
        fill(shown, planView(plan, pins.map(({ place: name, spot }) => {
            const { length } = items.get(name) ?? [];
            return { thing: name, title: t`${land.title(name)}: ${counted(length, "item")}`, spot,
                mark: length > 0 ? String(length) : "" };
        }), { label: t`Map of ${title}`, chosen: place, choose: (name) => draw(name === place ? null : name) }));
        fill(chosen, place ? contents(place, land, items.get(place) ?? [])
            : h("p.quiet", null, pins.length > 0 ? t`A pin shows its place. Its number is that of the things there.`
                : t`No place is on the map yet.`));
        if (place) /** @type {HTMLElement|null} */ (shown.querySelector("[aria-pressed=true]"))?.focus();
    };
    draw(null);
    return h("div", null, shown, chosen);
}

function contents(place, land, items) {
    const [kind, name] = place.split("/");
    return h("div.card", { role: "status" },
        h("p", null, h("strong", null, h("a", { href: `#/${kind}s/${name}` }, land.title(place)))),
        items.length > 0 ? h("ul.rows", { role: "list" }, items.map((item) => h("li", { "data-item": item.item },
            h("a", { href: `#/inventories/${item.inventory}` }, item.title))))
            : h("p.quiet", null, t`No thing of an inventory lies here.`));
}

/** @param {any} context @param {FarmMap} map @param {[string, string][]} places */
function pinForm(context, map, places) {
    const spotOf = (place) => map.pins.find((pin) => pin.place === place)?.spot;
    const missing = places.find(([place]) => !spotOf(place)) ?? places[0];
    const spot = new SpotField({ name: "spot", label: t`Where it is on the map`, plan: map.plan,
        value: spotOf(missing[0]) });
    return form({
        name: `map-pin ${map.farm}`, title: t`Put a place on the map`, submit: t`Save`,
        fields: [{ name: "place", label: t`Plot or store`, type: "select", required: true, options: places,
            value: missing[0] }, spot],
        prepare: ({ place }) => place.addEventListener("change", () => {
            spot.value = spotOf(/** @type {HTMLSelectElement} */ (place).value);
            spot.show();
        }),
        send: ({ place, spot: where }, key) => {
            const others = map.pins.filter((pin) => pin.place !== place);
            return command("PUT", `/v1/farms/${map.farm}/map`,
                { plan: map.plan, pins: where ? [...others, { place, spot: where }] : others }, key);
        },
        done: (_answer, { place }) => {
            context.announce(t`${places.find(([name]) => name === place)?.[1] ?? place} was saved.`);
            return context.refresh();
        },
    });
}

function pictureForm(context, farm, map) {
    return form({
        name: `farm-map ${farm}`, submit: t`Save`,
        fields: [new PictureField({ name: "plan", label: t`Map: a drawing, photograph or map of the farm`,
            value: map?.plan, required: true })],
        send: ({ plan }, key) => command("PUT", `/v1/farms/${farm}/map`, { plan, pins: map?.pins ?? [] }, key),
        done: () => {
            context.announce(t`The map was saved.`);
            return context.refresh();
        },
    });
}
