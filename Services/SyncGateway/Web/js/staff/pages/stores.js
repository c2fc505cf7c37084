/** The page of stores. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { asOf, freeName, latestValues, shortName } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const land = await loadLand(cached);
    const cards = land.stores.map((store) => h("li.card.place", null,
        h("h2", null, h("a", { href: `#/stores/${store.store}` }, store.title)),
        h("p.quiet", null, store.cold ? t`Cold store` : t`Not cooled`),
        latestValues(store.latest, land.zone(store.farm))));
    return {
        title: t`Stores`,
        content: [
            head(t`Stores`, t`Where lots are stored between harvest and hand-over.`),
            asOf(cached.since),
            cards.length > 0 ? h("ul.places", { role: "list" }, cards)
                : nothingYet("stored", t`There are no stores yet. Add one, so that harvested lots have a place.`),
            h("p.block", null, h("a", { href: "#/goods" }, t`Which climate goods need in a store`)),
            h("p", null, h("a", { href: "#/inventories" }, t`Tools and other things of the farm, and stocktakes`)),
            context.can("grower") && land.farms.length > 0 && h("div.card.block", null, open(context, land)),
        ],
    };
}

function open(context, land) {
    const taken = new Set(land.stores.map(({ store }) => store));
    return form({
        name: "open-store", title: t`Add a store`, submit: t`Add store`,
        fields: [
            ...(land.farms.length > 1
                ? [{ name: "farm", label: t`Farm`, type: "select", required: true, options: land.farmChoices }] : []),
            { name: "title", label: t`Name`, required: true, attributes: { maxlength: 200 } },
            { name: "cold", label: t`Cooled`, type: "checkbox" },
        ],
        send: (values, key) => command("POST", "/v1/stores",
            { farm: land.farms[0].farm, store: freeName(shortName(values.title), taken), ...values }, key),
        done: (_answer, { title }) => {
            context.announce(t`${title} was added.`);
            return context.refresh();
        },
    });
}
