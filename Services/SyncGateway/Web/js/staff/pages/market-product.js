/** The page of a product: its details, and the offers from its lots. */
import { command } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { dayAndClock, money, moneyDigits } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head, nothingYet, openDialog } from "../../common/parts.js";
import { go } from "../address.js";
import { loadMarket } from "../market.js";
import { asOf, noSuch, unprocessedNote } from "../parts.js";
import { publishOffer } from "./offer-form.js";
import { productBody, productFields } from "./product-fields.js";

const closings = {
    withdrawn: t`Ended`, over: t`The time to order is over`, gone: t`The lot has left the farm`,
    waiting: t`Temporarily unavailable`, held: t`On hold: release its lot first`, recalled: t`Recalled`,
};

/** Returns the page. @param {import("../main.js").Context} context @param {string} name */
export async function show(context, name) {
    const market = await loadMarket("farms", "lots", "products", "offers", "stock", "places");
    const product = market.productsByName.get(name);
    if (!product) return noSuch(t`product`, "#/market/products", t`All products`);
    const offers = market.offersOf(name);
    return {
        title: product.title, name: "market-product",
        content: [
            h("p.crumbs", null, h("a", { href: "#/market/products" }, t`Products`)),
            head(product.title, product.unit, ". ", h("a", { href: `/products/${name}` }, t`As buyers see it`)),
            asOf(market.since),
            h("div.columns", null,
                h("section", { id: "offers" }, h("h2", null, t`Offers`),
                    offers.length > 0
                        ? h("ul.offers-list", { role: "list" }, offers.map((offer) => item(offer, market, context)))
                        : nothingYet("basket", t`It is not offered yet. Offer it from a packed lot.`),
                    context.can("grower") && h("div.card.block", null, publishOffer(product, market, context))),
                h("div", null, context.can("grower") && [
                    h("section.card", null, change(product, context)),
                    h("div.block", null, withdraw(product, context)),
                ])),
        ],
    };
}

function item(offer, market, context) {
    const stock = market.stock.get(offer.lot);
    const zone = market.zone(offer.farm);
    return h("li.card.offer-row", { "data-offer": offer.offer },
        h("div.head-row", null, h("h3", null, money(offer.price)),
            h("p.quiet", null, t`from lot `, h("a.code", { href: `#/lots/${offer.lot}` }, offer.lot))),
        offer.closed
            ? h("p.lot-alarm", null, icon("warning"), closings[offer.closed], offer.reason && `: ${offer.reason}`)
            : h("p.goods", null, icon("check"), t`${offer.left} available`),
        offer.closed === "waiting" && unprocessedNote(t`A message about this lot`),
        h("p.quiet", null, [
            stock && t`${stock.ordered} ordered, ${stock.held} reserved in carts`,
            offer.takes > 1 && t`${offer.takes} boxes each`,
            offer.pickups.length > 0 ? `at ${offer.pickups.map((one) => market.placeTitle(one)).join(", ")}`
                : t`at every pick-up point`,
        ].filter(Boolean).join("; ")),
        offer.until && h("p.quiet", null, t`order until `, when(offer.until, dayAndClock(offer.until, zone))),
        context.can("grower") && h("div.form-end", null,
            offer.closed !== "recalled" && h("button.button.button-quiet", {
                type: "button", onclick: () => changePrice(offer, market, context),
                "aria-label": t`Change the price of ${offer.lot}`,
            }, icon("pencil"), t`Price`),
            action({
                name: `close-offer ${offer.offer}`, label: t`Close this offer`, kind: "button-quiet",
                send: (key) => command("POST", `/v1/offers/${offer.offer}/withdrawals`, {}, key),
                done: () => {
                    context.announce(t`The offer is closed. Existing orders stay valid.`);
                    return context.refresh();
                },
            })));
}

function changePrice(offer, market, context) {
    const { currency, minor } = offer.price;
    const unit = 10 ** moneyDigits(currency);
    const dialog = openDialog(t`Change the price`, form({
        name: `reprice ${offer.offer}`, submit: t`Save`, lead: t`Existing orders keep their price.`,
        fields: [{ name: "price", label: t`Price in ${currency}`, type: "number", required: true, value: minor / unit,
            attributes: { min: 0, step: 1 / unit },
            convert: (amount) => ({ minor: Math.round(amount * unit), currency }) }],
        send: (values, key) => command("PUT", `/v1/offers/${offer.offer}/price`, values, key),
        done: () => {
            dialog.close();
            context.announce(t`The price was changed.`);
            return context.refresh();
        },
    }));
}

function change(product, context) {
    return form({
        name: `change-product ${product.product}`, title: t`Product details`, submit: t`Save`, keepsDraft: true,
        fields: productFields(product),
        send: ({ ...values }, key) => command("PUT", `/v1/products/${product.product}`,
            { ...productBody(values), ...(product.gtin && { gtin: product.gtin }) }, key),
        done: () => {
            context.announce(t`Saved. Buyers see it with their next update.`);
            return context.refresh();
        },
    });
}

function withdraw(product, context) {
    return action({
        name: `withdraw-product ${product.product}`, label: t`Stop selling`, kind: "button-danger",
        send: (key) => command("POST", `/v1/products/${product.product}/withdrawals`, {}, key),
        done: () => {
            context.announce(t`${product.title} is no longer sold.`);
            go("/market/products");
        },
    });
}
