/** The page of inventories: what the farm owns and counts together. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { asOf, freeName, shortName } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const [land, inventories] = await Promise.all([loadLand(cached), cached.list("/v1/inventories")]);
    return {
        title: t`Inventories`,
        content: [
            head(t`Inventories`, t`Tools and other things that the farm owns. A stocktake tells what is still
                there.`),
            asOf(cached.since),
            inventories.length > 0 ? h("ul.places", { role: "list" }, inventories.map((one) => card(one, land)))
                : nothingYet("stored", t`There is no inventory yet. Add one, such as Tools, then the items in it.`),
            h("p", null, h("a", { href: "#/beacons" }, t`What is near: the beacons that readers receive now`), " · ",
                h("a", { href: "#/farm-map" }, t`Map of the farm`)),
            context.can("grower") && h("div.card.block", null, add(context, inventories, land)),
        ],
    };
}

function card({ inventory, title, place, items, stocktake, boxes }, land) {
    return h("li.card.place", null,
        h("h2", null, h("a", { href: `#/inventories/${inventory}` }, title)),
        h("p.quiet", null, [boxes ? counted(items, "box", "boxes") : counted(items, "item"), place && land.title(place)]
            .filter(Boolean).join(" · ")),
        stocktake && h("p", null, h("a", { href: `#/stocktakes/${stocktake}` }, t`A stocktake is open: count`)));
}

function add(context, inventories, land) {
    const taken = new Set(inventories.map(({ inventory }) => inventory));
    return form({
        name: "set-inventory", title: t`Add an inventory`, submit: t`Add inventory`,
        fields: [
            { name: "title", label: t`Name`, required: true, attributes: { maxlength: 200 } },
            { name: "place", label: t`Where its items usually are`, type: "select",
                options: [["", t`Not one place`], ...land.placeChoices] },
        ],
        send: (values, key) =>
            command("PUT", `/v1/inventories/${freeName(shortName(values.title), taken)}`, values, key),
        done: (_answer, { title }) => {
            context.announce(t`${title} was added.`);
            return context.refresh();
        },
    });
}
