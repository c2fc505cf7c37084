/** The page of all products, with search and categories. */
import { fill, freshID, h } from "../../common/dom.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { compare } from "../catalog.js";
import { productGrid } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const parameters = new URLSearchParams(location.search);
    const chosen = { q: parameters.get("q") ?? "", kind: parameters.get("kind") ?? "" };
    const results = h("div", { id: "results" });
    const countLine = h("p.quiet", { role: "status" });
    const kinds = [...new Set(catalog.products.map((product) => product.category).filter(Boolean))].sort(compare);

    const draw = () => {
        const found = catalog.products.filter((product) => fits(product, chosen, catalog));
        const now = found.filter((product) => catalog.bestOffer(product));
        const later = found.filter((product) => !catalog.bestOffer(product));
        countLine.textContent = found.length === 1 ? "1 product" : t`${found.length} products`;
        fill(results,
            now.length > 0 && productGrid(now, catalog),
            later.length > 0 && h("section.block", null, h("h2", null, t`Not for sale at the moment`),
                productGrid(later, catalog, "h3")),
            found.length === 0 && nothingYet("harvested", catalog.products.length === 0
                ? t`Nothing is for sale here yet.` : t`No matching products. Try another word.`));
    };
    // Changes the address on input only: when the page is refreshed, another one may be shown by then.
    const search = () => {
        draw();
        const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ""));
        history.replaceState(null, "", query.toString() !== "" ? `/shop?${query}` : "/shop");
    };
    const id = freshID("search");
    const input = h("input", { id, type: "search", value: chosen.q, autocomplete: "off", placeholder: t`Search` });
    input.addEventListener("input", () => {
        chosen.q = input.value;
        search();
    });
    const choice = (text, kind) => h("label.choice", null, h("input.hidden", {
        type: "radio", name: "kind", value: kind, checked: chosen.kind === kind, onchange: () => {
            chosen.kind = kind;
            search();
        },
    }), h("span", null, text));
    draw();
    return {
        title: t`Shop`, name: "shop",
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Shop`)),
            h("form.shop-search", { role: "search", onsubmit: (event) => event.preventDefault() },
                h("label.hidden", { for: id }, t`Search`), input,
                kinds.length > 1 && h("fieldset.choices", null, h("legend.hidden", null, t`Category`),
                    choice(t`All`, ""), kinds.map((kind) => choice(titled(kind), kind)))),
            countLine, catalog.hidden.size > 0 && h("p.quiet", { "data-hidden": "" },
                t`${catalog.hidden.size === 1 ? t`1 product is` : t`${catalog.hidden.size} products are`} not shown:
                    `,
                h("a", { href: "/settings" }, t`your preferences`), "."),
            results,
        ],
    };
}

function titled(word) {
    return word.charAt(0).toUpperCase() + word.slice(1);
}

function fits(product, { q, kind }, catalog) {
    if (kind !== "" && product.category !== kind) return false;
    const farm = catalog.farmsByName.get(product.farm)?.title ?? "";
    const text = `${product.title} ${product.category ?? ""} ${product.description ?? ""} ${farm}`.toLowerCase();
    return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
