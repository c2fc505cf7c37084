/** The page of plots. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { area } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { go } from "../address.js";
import { loadLand } from "../farm.js";
import { asOf, freeName, latestValues, shortName } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const land = await loadLand(cached);
    const cards = land.plots.map((plot) => h("li.card.place", null,
        h("h2", null, h("a", { href: `#/plots/${plot.plot}` }, plot.title)),
        h("p.quiet", null,
            [plot.crop, plot.areaSquareMetres && area(plot.areaSquareMetres)].filter(Boolean).join(", ")),
        latestValues(plot.latest, land.zone(plot.farm))));
    return {
        title: t`Plots`,
        content: [
            head(t`Plots`, t`Where crops grow. Open a plot to record what was done there.`),
            asOf(cached.since),
            cards.length > 0 ? h("ul.places", { role: "list" }, cards)
                : nothingYet("field", t`There are no plots yet. Add one to begin.`),
            context.can("grower") && land.farms.length > 0 && h("div.card.block", null, layOut(land)),
            land.farms.length === 0
                && nothingYet("home", t`Create the farm first.`, h("a", { href: "#/" }, t`Create farm`)),
        ],
    };
}

function layOut(land) {
    const taken = new Set(land.plots.map(({ plot }) => plot));
    return form({
        name: "lay-out-plot", title: t`Add a plot`, submit: t`Add plot`,
        fields: [
            ...(land.farms.length > 1
                ? [{ name: "farm", label: t`Farm`, type: "select", required: true, options: land.farmChoices }] : []),
            { name: "title", label: t`Name`, required: true, hint: t`As you call it: South terrace.`,
                attributes: { maxlength: 200 } },
            { name: "crop", label: t`Crop`, attributes: { maxlength: 200 } },
            { name: "areaSquareMetres", label: t`Area in square metres`, type: "number", attributes: { min: 0 } },
        ],
        send: (values, key) => command("POST", "/v1/plots",
            { farm: land.farms[0].farm, plot: freeName(shortName(values.title), taken), ...values }, key),
        done: ({ plot }) => go(`/plots/${plot}`),
    });
}
