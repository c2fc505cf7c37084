/** The page of the farms of a county. */
import { h } from "../../common/dom.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { farmCard } from "../parts.js";

/**
 * Returns the page.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} county
 */
export async function show(context, catalog, county) {
    const region = new URLSearchParams(location.search).get("in");
    const found = catalog.counties.find((one) => one.name === county && (region === null || one.region === region));
    const farms = found?.farms ?? [];
    return {
        title: found?.title ?? county, name: "county",
        content: [
            h("p.crumbs", null, h("a", { href: "/directory" }, t`All counties`)),
            h("div.head", null, h("h1", { tabindex: "-1" }, found?.title ?? county)),
            farms.length > 0 ? h("ul.farm-list", { role: "list" }, farms.map((farm) => farmCard(farm, catalog)))
                : nothingYet("field", t`No farm of this county is in the directory.`),
        ],
    };
}
