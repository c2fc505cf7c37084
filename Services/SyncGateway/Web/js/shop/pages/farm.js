/** The page of a farm: description, contact and products. */
import { h } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { favouriteButton } from "../favourites.js";
import { address, countyAddress, picture, productGrid } from "../parts.js";

/**
 * Returns the page; null if the id is unknown.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} name
 */
export async function show(context, catalog, name) {
    const farm = catalog.farmsByName.get(name);
    if (!farm) return null;
    const products = catalog.productsOf(name);
    const open = products.filter((product) => catalog.bestOffer(product));
    return {
        title: farm.title, name: "farm",
        content: [
            h("p.crumbs", null, h("a", {
                href: farm.county ? countyAddress({ name: farm.county, region: farm.region ?? null }) : "/directory",
            }, farm.county ?? t`All farms`)),
            h("div.detail", null,
                h("div.detail-picture", null, picture(farm, "farm", farm.alt ?? farm.title)),
                h("div.detail-words", null,
                    h("h1", { tabindex: "-1" }, farm.title),
                    catalog.hasGoods(farm) ? h("p.goods", null, icon("check"), t`Has goods for sale`)
                        : h("p.quiet", null, t`Nothing for sale at the moment`),
                    farm.description && h("p.lead", null, farm.description),
                    contact(farm),
                    h("div.form-end", null, directions(farm), favouriteButton("farm", farm, catalog, context)))),
            h("section.block", null, h("h2", null, t`For sale this week`),
                open.length > 0 ? productGrid(open, catalog, "h3")
                    : h("p.quiet", null, t`Nothing can be ordered from here this week.`)),
            open.length < products.length && h("section.block", null, h("h2", null, t`At other times`),
                productGrid(products.filter((product) => !open.includes(product)), catalog, "h3")),
        ],
    };
}

function contact(farm) {
    const rows = [
        [t`Address`, address(farm)],
        [t`Telephone`, farm.telephone
            && h("a", { href: `tel:${farm.telephone.replace(/[^+\d]/g, "")}` }, farm.telephone)],
        [t`Website`, /^https?:\/\/[^\s"<>]+$/.test(farm.website ?? "")
            && h("a", { href: farm.website, rel: "noopener", target: "_blank" }, new URL(farm.website).host)],
    ].filter(([, value]) => Boolean(value));
    return rows.length > 0 && h("dl.facts", null, rows.map(([title, value]) =>
        h("div", null, h("dt", null, title), h("dd", null, value))));
}

/** Returns a link to directions on OpenStreetMap in a new tab. The page itself loads nothing from there. */
function directions(farm) {
    const there = Number.isFinite(farm.latitude) && Number.isFinite(farm.longitude)
        ? `directions?to=${farm.latitude}%2C${farm.longitude}`
        : address(farm) !== "" && `search?query=${encodeURIComponent(address(farm))}`;
    return there && h("a.button", {
        href: `https://www.openstreetmap.org/${there}`, target: "_blank", rel: "noopener noreferrer",
    }, icon("pin"), t`Directions`);
}
