/** The page of products, with their availability and a form for a new one. */
import { command, Problem } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { money } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { go } from "../address.js";
import { loadMarket, marketHead, thumbnail } from "../market.js";
import { freeName, shortName } from "../parts.js";
import { productBody, productFields } from "./product-fields.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const market = await loadMarket("farms", "products", "offers");
    return {
        title: t`Products`, name: "market-products",
        content: [
            marketHead(t`Products`, "/market/products", t`What buyers see in the shop.`, market.since),
            market.products.length > 0
                ? h("ul.goods-list", { role: "list" }, market.products.map((product) => card(product, market)))
                : nothingYet("basket",
                    t`Nothing is for sale yet. Add what grows on your farm, then offer it from a lot.`),
            context.can("grower") && h("div.card.block", { id: "list-product" }, market.farms.length > 0
                ? list(market)
                : nothingYet("home", t`Create the farm first.`, h("a", { href: "#/" }, t`Create farm`))),
        ],
    };
}

function card(product, market) {
    const closed = market.offersOf(product.product).filter((offer) => offer.closed === "recalled").length;
    return h("li.card.good", { "data-product": product.product },
        thumbnail(product.thumbnail ?? product.picture),
        h("div", null,
            h("h2", null, h("a.stretched", { href: `#/market/products/${product.product}` }, product.title)),
            h("p.quiet", null, product.unit),
            product.left > 0
                ? h("p.goods", null, icon("check"), t`${money(product.from)}, ${product.left} left`)
                : h("p.quiet", null, product.from ? t`Sold out` : t`Not for sale at the moment`),
            closed > 0 && h("p.lot-alarm", null, icon("warning"), t`One of its lots was recalled`)));
}

function list(market) {
    const taken = new Set(market.products.map(({ product }) => product));
    return form({
        name: "list-product", title: t`Add a product`, submit: t`Add product`, keepsDraft: true,
        lead: t`Buyers see it at once; they can buy it when you offer it from a packed lot.`,
        fields: [
            ...(market.farms.length > 1 ? [{ name: "farm", label: t`Farm`, type: "select", required: true,
                options: market.farms.map(({ farm, title }) => [farm, title]) }] : []),
            ...productFields({}),
        ],
        send: (values, key) => listUnderFreeName(
            freeName(shortName(values.title), taken), { farm: market.farms[0].farm, ...productBody(values) }, key),
        done: ({ product }) => go(`/market/products/${product}`),
    });
}

/** Creates a product. A withdrawn product keeps its id, so a new one with the same title gets a suffix. */
async function listUnderFreeName(product, values, key) {
    try {
        return await command("POST", "/v1/products", { product, ...values }, key);
    } catch (error) {
        if (!(error instanceof Problem) || error.code !== "known") throw error;
        const another = `${product.slice(0, 34)}-${key.slice(0, 5)}`;
        return command("POST", "/v1/products", { product: another, ...values }, `${key}.another`);
    }
}
