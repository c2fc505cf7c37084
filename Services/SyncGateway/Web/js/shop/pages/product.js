/** The page of a product: description, harvests and offers. */
import { fill, h, when } from "../../common/dom.js";
import { contentsSentence } from "../../common/contents.js";
import { get } from "../../common/api.js";
import { day, money } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { addToCart, cartLines } from "../cart.js";
import { favouriteButton } from "../favourites.js";
import { picture, productGrid } from "../parts.js";
import { suggestions } from "../suggestions.js";
import { reasonText } from "../suggestion-text.js";
import { noteView } from "../viewed.js";
import { unwanted } from "../wanted.js";

const Limits = { instead: 4 };

/**
 * Returns the page; null if the id is unknown.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} name
 */
export async function show(context, catalog, name) {
    const product = catalog.productsByName.get(name);
    if (!product) return null;
    noteView(product, catalog, context);
    const farm = catalog.farmsByName.get(product.farm);
    const offers = shownOffers(product.offers);
    const inCart = new Map((await cartLines()).map(({ offer, quantity }) => [offer, quantity]));
    return {
        title: product.title, name: "product",
        content: [
            h("p.crumbs", null, h("a", { href: "/shop" }, t`Shop`)),
            h("div.detail", null,
                h("div.detail-picture", null,
                    picture(product, `${product.category ?? ""} ${product.title}`,
                        product.alt ?? product.title)),
                h("div.detail-words", null,
                    h("h1", { tabindex: "-1" }, product.title),
                    farm && h("p", null, t`from `, h("a", { href: `/farms/${farm.id}` }, farm.title)),
                    product.description && h("p.lead", null, product.description),
                    contents(product, catalog),
                    favouriteButton("product", product, catalog, context),
                    offers.length > 0
                        ? h("ul.offers", { role: "list" }, offers.map((offer) =>
                            item(offer, product, farm, context, inCart.get(offer.id) ?? 0)))
                        : h("p.quiet.block", null,
                            t`Not for sale at the moment. Add it to your favourites and look again next week.`))),
            !offers.some(({ closed }) => closed === null) && instead(product, catalog),
            suggestions(context, catalog, { kinds: ["together"], cart: [name] }),
            context.me && why(product, catalog),
        ],
    };
}

/** Returns why the product is suggested to the person, with their orders behind it; loaded when it is opened. */
function why(product, catalog) {
    const answer = h("div", { role: "status" });
    const details = h("details.block", { id: "why" }, h("summary", null, t`Why is this suggested to me?`), answer);
    details.addEventListener("toggle", async () => {
        if (!details.open) return;
        try {
            const { from, orders, ...item } = await get(`/v1/suggestions/${encodeURIComponent(product.id)}/why`);
            const source = from && from !== product.id ? catalog.productsByName.get(from)?.title ?? from : null;
            fill(answer, h("p", null, reasonText(item)),
                orders.length > 0 && [
                    h("p.quiet", null, source ? t`Your orders with ${source}:` : t`Your orders with it:`),
                    h("ul", null, orders.map(({ order, placed }) => h("li", null,
                        h("a", { href: `/orders/${order}` }, t`The order of `, when(placed, day(placed))))))],
                h("p.quiet", null, t`Computed from orders and favourites on the farm server alone.`));
        } catch {
            fill(answer, h("p.note", null, icon("offline"), t` The farm server does not answer. Try again later.`));
        }
    });
    return details;
}

/** Returns products of the same kind that can be bought, those of the same farm first; null if there are none. */
function instead(product, catalog) {
    const others = catalog.onSale.filter(({ id, category }) => id !== product.id && category
        && category === product.category).sort((left, right) =>
        Number(right.farm === product.farm) - Number(left.farm === product.farm)
            || left.title.localeCompare(right.title));
    if (others.length === 0) return null;
    return h("section.block", { id: "instead" }, h("h2", null, t`Instead`),
        productGrid(others.slice(0, Limits.instead), catalog, "h3"));
}

/** Returns what the product contains, with a warning if the person avoids it. */
function contents(product, catalog) {
    const words = h("p.quiet", { "data-contents": "" }, contentsSentence(product.contents));
    const reason = unwanted(product, catalog.preferences);
    if (reason === null) return words;
    return [words, h("p.lot-alarm", null, icon("warning"), reason.avoided.length > 0
        ? t`It contains what you avoid.` : t`It is not of your diet.`)];
}

/** Returns open offers, cheapest first, then recalled ones; the newest closed offer if there are no others. */
function shownOffers(offers) {
    const sorted = [...offers].sort((left, right) => left.price.minor - right.price.minor);
    const open = sorted.filter(({ closed }) => closed === null);
    const recalled = sorted.filter(({ closed }) => closed === "recalled");
    if (open.length + recalled.length > 0) return [...open, ...recalled];
    return sorted.sort((left, right) => (right.harvested ?? "").localeCompare(left.harvested ?? "")).slice(0, 1);
}

function item(offer, product, farm, context, count) {
    const isOpen = offer.closed === null;
    return h("li.card.offer", { "data-offer": offer.id },
        h("p.price", null, h("strong", null, money(offer.price)), t` for ${product.unit}`),
        h("p.quiet", null,
            offer.harvested && [t`Harvested `, when(offer.harvested, day(offer.harvested, farm?.zone)), ", "],
            t`lot `, h("span.code", null, offer.lot)),
        offer.gtin && h("p", null, h("a", { href: `/01/${offer.gtin.padStart(14, "0")}/10/${offer.lot}` },
            icon("shield"), t` Its story, from the field`)),
        offer.closed === "recalled"
            && h("p.lot-alarm", null, icon("warning"), t`Recalled: ${offer.recalled}`),
        isOpen && offer.left <= 10 && h("p.note", null, t`Only ${offer.left} left`),
        isOpen ? button(offer, product, context, count) : offer.closed !== "recalled"
            && h("p.quiet", null, offer.closed === "over" ? t`The offer has ended`
                : offer.closed === "held" ? t`Temporarily unavailable: on hold by the farm` : t`Sold out`));
}

function button(offer, product, context, before) {
    const inCart = h("span.in-cart");
    const way = h("a", { href: "/cart" }, t`Go to the cart`);
    const showCount = (count) => fill(inCart, count > 0 && [t`${count} in the cart. `, way]);
    showCount(before);
    return h("div.form-end", null, h("button.button", {
        type: "button", "data-key": `add ${offer.id}`, "data-add": offer.id, onclick: async () => {
            const count = await addToCart(offer.id);
            showCount(count);
            context.announce(t`${product.title}: ${count} in the cart.`);
        },
    }, icon("packed"), t`Add to cart`), inCart);
}
