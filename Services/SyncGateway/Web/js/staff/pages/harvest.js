/** The page that records a harvest, which creates a lot. */
import { CachedLists } from "../../common/cache.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";
import { go } from "../address.js";
import { loadLand } from "../farm.js";
import { submit } from "../outbox.js";
import { asOf } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context @param {string} [plot] preselected */
export async function show(context, plot) {
    const cached = new CachedLists();
    const land = await loadLand(cached);
    return {
        title: t`Record a harvest`,
        content: [
            h("p.crumbs", null, h("a", { href: "#/lots" }, t`Lots`)),
            head(t`Record a harvest`, t`A lot is what was harvested from one plot at one time.`),
            asOf(cached.since),
            !context.can("grower") ? nothingYet("info", t`Growers record harvests.`)
                : land.plots.length > 0 ? h("div.card", null, harvest(context, land, plot))
                : nothingYet("field", t`A harvest needs a plot.`, h("a", { href: "#/plots" }, t`Add a plot`)),
        ],
    };
}

function harvest(context, land, plot) {
    const chosen = land.places.has(`plot/${plot}`) ? plot : land.plots[0].plot;
    const zone = land.zoneOf(`plot/${chosen}`);
    return form({
        name: "harvest", submit: t`Record harvest`,
        fields: [
            { name: "plot", label: t`Plot`, type: "select", required: true, value: chosen,
                options: land.plots.map((one) => [one.plot, one.title]) },
            { name: "product", label: t`Product`, required: true, value: land.places.get(`plot/${chosen}`)?.crop,
                hint: t`Shown to buyers.`, attributes: { maxlength: 200 } },
            { name: "grams", label: t`Weight in kilograms`, type: "number", required: true,
                attributes: { min: 0.001, step: 0.001 }, convert: (kilograms) => Math.round(kilograms * 1000) },
            { name: "happened", label: t`When`, type: "datetime", required: true, zone,
                value: toLocal(Date.now(), zone),
                hint: t`The time at the farm (${zone.replaceAll("_", " ")}).`, isPast: true },
            { name: "lot", label: t`Lot number`,
                hint: t`If left empty, one is made from the date. Letters, digits and hyphens.`,
                convert: (text) => text.toUpperCase(),
                attributes: { pattern: "[A-Za-z0-9\\-]{1,20}", title: t`Use up to 20 letters, digits and hyphens.` } },
            { name: "gtin", label: t`Item number (GTIN)`,
                hint: t`From your GS1 prefix. If left empty, a number for use on the farm only.`,
                attributes: {
                    pattern: "[0-9]{8}|[0-9]{12,14}", inputmode: "numeric", title: t`Use 8, 12, 13 or 14 digits.`,
                } },
        ],
        send: (values, key) => submit({ key, path: "/v1/lots", body: values, shown: { plot: values.plot } }),
        done: (answer) => {
            if (answer !== null) return go(`/lots/${answer.lot}`);
            context.announce(t`Saved on this device. It is sent as soon as there is a connection.`);
            return go("/lots");
        },
    });
}
