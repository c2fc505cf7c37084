/** The cart: offers and quantities. It is stored in this browser and shared by everyone who uses it. */
import { t } from "../common/language.js";
import { notifyChange, readValue, requestResult, transact } from "../common/storage.js";

const Limits = { lines: 40, quantity: 99, named: 200 };

/** @returns {Promise<{offer: string, quantity: number}[]>} the lines of the cart */
export async function cartLines() {
    return (await readValue("cart")) ?? [];
}

/**
 * Changes the quantity of an offer in one transaction, so that concurrent changes of several tabs add up.
 * @param {string} offer
 * @param {number} [more] the difference; negative to remove
 * @returns {Promise<number>} the new quantity
 */
export async function addToCart(offer, more = 1) {
    const quantity = await transact(["records", "facts"], "readwrite", async (records, facts) => {
        await keepName(offer, records, facts);
        const lines = withMore((await requestResult(facts.get("cart"))) ?? [], offer, more);
        facts.put(lines, "cart");
        return lines.find((line) => line.offer === offer)?.quantity ?? 0;
    });
    notifyChange("cart");
    return quantity;
}

/** Stores an offer's product title, as the cart still shows it when the sold-out offer is deleted. */
async function keepName(offer, records, facts) {
    const product = (await requestResult(records.get(["offers", offer])))?.body.product;
    const title = product && (await requestResult(records.get(["products", product])))?.body.title;
    if (!title) return;
    const { [offer]: before, ...others } = (await requestResult(facts.get("named"))) ?? {};
    const newest = [...Object.entries(others), [offer, { product, title }]].slice(-Limits.named);
    facts.put(Object.fromEntries(newest), "named");
}

/**
 * Returns the lines with a changed quantity. A full cart takes no new line.
 * @param {{offer: string, quantity: number}[]} lines
 * @param {string} offer
 * @param {number} more the difference
 * @returns {{offer: string, quantity: number}[]}
 */
export function withMore(lines, offer, more) {
    const before = lines.find((line) => line.offer === offer);
    if (!before && lines.length >= Limits.lines) return lines;
    const line = { offer, quantity: Math.min(Limits.quantity, (before?.quantity ?? 0) + more) };
    const all = before ? lines.map((one) => (one === before ? line : one)) : [...lines, line];
    return all.filter((one) => one.quantity > 0);
}

/**
 * Returns the cart with its prices, and the problems that prevent an order.
 * @param {import("./catalog.js").Catalog} catalog
 * @returns {Promise<{lines: any[], total: any, problems: string[]}>} `total` is null if there is none
 */
export async function pricedCart(catalog) {
    const lines = [];
    const problems = [];
    const named = (await readValue("named")) ?? {};
    for (const { offer: name, quantity } of await cartLines()) {
        const offer = catalog.offers.get(name) ?? null;
        const product = catalog.productsByName.get(offer?.product ?? named[name]?.product) ?? null;
        const title = product?.title ?? named[name]?.title ?? t`A product`;
        const amount = offer ? { minor: offer.price.minor * quantity, currency: offer.price.currency } : null;
        // The offers of a withdrawn product are not for sale either.
        if (!offer || !product) problems.push(t`${title}: no longer for sale.`);
        else if (offer.closed !== null) problems.push(`${title}: ${closedText(offer)}.`);
        else if (quantity > offer.left) problems.push(t`${title}: only ${offer.left} left.`);
        lines.push({ name, offer, product, title, quantity, amount });
    }
    return { lines, total: sum(lines.map((line) => line.amount)), problems };
}

function closedText(offer) {
    if (offer.closed === "recalled") return t`recalled, it must not be sold`;
    if (offer.closed === "held") return t`temporarily unavailable, on hold by the farm`;
    return offer.closed === "over" ? t`the offer has ended` : t`sold out`;
}

/** @param {({minor: number, currency: string}|null)[]} amounts @returns {any} the sum; null if currencies differ */
export function sum(amounts) {
    const known = amounts.filter((amount) => amount !== null);
    if (known.length === 0 || known.some(({ currency }) => currency !== known[0].currency)) return null;
    return { minor: known.reduce((total, { minor }) => total + minor, 0), currency: known[0].currency };
}
