/** The directory of farms: list of counties, map, all farms, and favourites. */
import { h } from "../../common/dom.js";
import { counted } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { setFavourite } from "../favourites.js";
import { countyMap } from "../map.js";
import { countyAddress, farmCard } from "../parts.js";

const ways = [
    ["/directory", t`Counties`], ["/directory/map", t`Map`], ["/directory/all", t`All farms`],
    ["/directory/favourites", t`Favourites`],
];

/**
 * Returns the page.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} [way]
 */
export async function show(context, catalog, way = "counties") {
    const body = { counties, map, all, favourites }[way];
    const liked = catalog.farms.filter((farm) => catalog.liked.has(`farm.${farm.id}`)).length;
    return {
        title: t`Farms`, name: `directory-${way}`,
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Farms`)),
            h("nav.tabs", { "aria-label": t`Ways to find a farm` }, h("ul", { role: "list" },
                ways.map(([path, text]) => tab(path, text, way, liked)))),
            catalog.farms.length === 0
                ? nothingYet("field", t`No farm is in the directory yet. They appear here as soon as they open.`)
                : await body(catalog, context),
        ],
    };
}

function tab(path, text, way, liked) {
    const isHere = path === (way === "counties" ? "/directory" : `/directory/${way}`);
    const number = path.endsWith("favourites") && liked > 0 && ` (${liked})`;
    return h("li", null, h("a", { href: path, "aria-current": isHere && "page" }, text, number));
}

function counties(catalog) {
    return h("ul.rows.card.counties", { role: "list" }, catalog.counties.map((county) => h("li", null,
        h("a", { href: countyAddress(county) }, h("span", null, county.title),
            h("span.quiet", null, counted(county.farms.length, "farm")), icon("arrow")))));
}

async function map(catalog) {
    return [await countyMap(catalog, countyAddress),
        h("h2.block", null, t`As a list`), counties(catalog)];
}

function all(catalog) {
    return catalog.counties.map((county) => h("section.block", null,
        h("h2", null, county.title),
        h("ul.farm-list", { role: "list" }, county.farms.map((farm) => farmCard(farm, catalog, "h3")))));
}

function favourites(catalog, context) {
    const farms = catalog.farms.filter((farm) => catalog.liked.has(`farm.${farm.id}`));
    const products = catalog.products.filter((product) => catalog.liked.has(`product.${product.id}`));
    if (farms.length + products.length === 0) {
        return nothingYet("heart", t`Nothing here yet. Press the heart on a farm or a product to find it again.`);
    }
    const row = (kind, thing, path) => h("li", { "data-favourite": `${kind}.${thing.id}` },
        h("a", { href: path }, thing.title),
        h("button.button.button-quiet", {
            type: "button", "aria-label": t`Remove ${thing.title} from the favourites`,
            "data-key": `remove ${thing.id}`,
            onclick: () => setFavourite(kind, thing.id, false, context),
        }, icon("cross"), t`Remove`));
    const list = (title, items) => items.length > 0 && h("section.block", null,
        h("h2", null, `${title} (${items.length})`), h("ul.rows.card.favourites", { role: "list" }, items));
    return [
        list("Farms", farms.map((farm) => row("farm", farm, `/farms/${farm.id}`))),
        list("Products", products.map((product) => row("product", product, `/products/${product.id}`))),
    ];
}
