/** The form that publishes an offer of a product from a lot. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";
import { Choices } from "../../common/choices.js";
import { currencies, inMinor } from "../money.js";

/**
 * Returns the form, or a note if there is no packed lot.
 * @param {any} product @param {import("../market.js").Market} market @param {import("../main.js").Context} context
 */
export function publishOffer(product, market, context) {
    const lots = sellable(product, market);
    if (lots.length === 0) {
        return nothingYet("packed", t`An offer needs a packed lot of this farm: harvest, pack, then offer.`,
            h("a", { href: "#/lots" }, t`Go to the lots`));
    }
    const zone = market.zone(product.farm);
    const isKnown = market.offers.length > 0;
    return form({
        name: `publish-offer ${product.product}`, title: t`New offer`, submit: t`Publish offer`, keepsDraft: true,
        fields: [
            { name: "lot", label: t`From lot`, type: "select", required: true, value: lots[0].lot,
                options: lots.map((lot) => [lot.lot, describe(lot, market)]) },
            { name: "boxes", label: t`Boxes of this lot for sale, all offers together`, type: "number",
                value: most(lots[0], market), hint: t`At most the packed boxes. If left empty, it does not change.`,
                attributes: { min: 0, step: 1 } },
            { name: "amount", label: t`Price of ${product.unit}`, type: "number", required: true,
                attributes: { min: 0, step: 0.01 } },
            ...(isKnown ? [] : [{ name: "currency", label: t`Currency`, type: "select", required: true,
                value: market.currency, options: currencies.map((code) => [code, code]) }]),
            { name: "takes", label: t`Boxes per unit`, type: "number", value: 1,
                attributes: { min: 1, max: 1000, step: 1 } },
            ...(market.places.length > 0 ? [new Choices({
                name: "pickups", label: t`Where it can be picked up`, hint: t`If none is ticked, everywhere.`,
                options: market.places.map(({ pickup, title }) => [pickup, title]) })] : []),
            { name: "until", label: t`Order until`, type: "datetime", zone,
                hint: t`The time at the farm (${zone.replaceAll("_", " ")}). If left empty, until you close it.`,
                attributes: { min: toLocal(Date.now(), zone) } },
        ],
        prepare: (/** @type {Record<string, any>} */ { lot, boxes }) => lot.addEventListener("change", () => {
            boxes.value = most(market.lots.get(lot.value), market);
        }),
        send: ({ amount, currency = market.currency, boxes, ...values }, key) =>
            publish(product, { ...values, price: inMinor(amount, currency) }, boxes, key, market),
        done: () => {
            context.announce(t`${product.title} is for sale.`);
            return context.refresh();
        },
    });
}

/** Sets the stock, then publishes the offer. Each has its own idempotency key, so repeating both is harmless. */
async function publish(product, offer, boxes, key, market) {
    const now = market.stock.get(offer.lot)?.boxes;
    if (boxes !== undefined && boxes !== now) {
        await command("PUT", `/v1/stock/${offer.lot}`, { boxes }, `${key}.boxes`);
    }
    return command("POST", "/v1/offers", { product: product.product, ...offer }, key);
}

/** Packed lots of the farm that can be sold: lots of a similar name first, then newest first. */
function sellable(product, market) {
    const isLike = (lot) => Number(lot.product.toLowerCase().includes(product.title.toLowerCase().slice(0, 5)));
    return [...market.lots.values()]
        .filter((lot) => lot.farm === product.farm && lot.boxes > 0 && !lot.recalled && !lot.held && !lot.handedTo
            && !market.stock.get(lot.lot)?.blocked)
        .sort((left, right) => isLike(right) - isLike(left)
            || (right.harvested ?? "").localeCompare(left.harvested ?? ""));
}

function describe(lot, market) {
    const free = market.stock.get(lot.lot)?.free;
    return t`${lot.lot}, ${lot.product}: ${lot.boxes} packed${free === undefined ? "" : t`, ${free} available`}`;
}

function most(lot, market) {
    return market.stock.get(lot.lot)?.boxes ?? lot.boxes;
}
