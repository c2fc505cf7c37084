/**
 * What somebody is about to order: offers and how many of each. It lies in this browser and is everybody's who uses it.
 */
import { answered, fact, tell, transact } from "../common/storage.js";

const Limits = { lines: 40, quantity: 99, named: 200 };

/** @returns {Promise<{offer: string, quantity: number}[]>} */
export async function cartLines() {
    return (await fact("cart")) ?? [];
}

/**
 * Puts more of something into the cart, or takes some out; whoever presses twice quickly, or in two tabs, gets both.
 * @param {string} offer
 * @param {number} [more] less, if negative
 * @returns {Promise<number>} how many there are now
 */
export async function addToCart(offer, more = 1) {
    const quantity = await transact(["records", "facts"], "readwrite", async (records, facts) => {
        await keepName(offer, records, facts);
        const lines = withMore((await answered(facts.get("cart"))) ?? [], offer, more);
        facts.put(lines, "cart");
        return lines.find((line) => line.offer === offer)?.quantity ?? 0;
    });
    tell("cart");
    return quantity;
}

/** Writes down what an offer is of: it leaves this browser when it is sold out, and the cart still tells of it. */
async function keepName(offer, records, facts) {
    const product = (await answered(records.get(["offers", offer])))?.body.product;
    const title = product && (await answered(records.get(["products", product])))?.body.title;
    if (!title) return;
    const { [offer]: before, ...others } = (await answered(facts.get("named"))) ?? {};
    const newest = [...Object.entries(others), [offer, { product, title }]].slice(-Limits.named);
    facts.put(Object.fromEntries(newest), "named");
}

/**
 * @param {{offer: string, quantity: number}[]} lines
 * @param {string} offer
 * @param {number} more less, if negative
 * @returns {{offer: string, quantity: number}[]} as they are with it; a cart that is full takes nothing new
 */
export function withMore(lines, offer, more) {
    const before = lines.find((line) => line.offer === offer);
    if (!before && lines.length >= Limits.lines) return lines;
    const line = { offer, quantity: Math.min(Limits.quantity, (before?.quantity ?? 0) + more) };
    const all = before ? lines.map((one) => (one === before ? line : one)) : [...lines, line];
    return all.filter((one) => one.quantity > 0);
}

/**
 * The cart with what it costs.
 * @param {import("./catalog.js").Catalog} catalog
 * @returns {Promise<{lines: any[], total: any, problems: string[]}>} `total` is null where there is none
 */
export async function pricedCart(catalog) {
    const lines = [];
    const problems = [];
    const named = (await fact("named")) ?? {};
    for (const { offer: name, quantity } of await cartLines()) {
        const offer = catalog.offers.get(name) ?? null;
        const product = catalog.productsByName.get(offer?.product ?? named[name]?.product) ?? null;
        const title = product?.title ?? named[name]?.title ?? "A product";
        const amount = offer ? { minor: offer.price.minor * quantity, currency: offer.price.currency } : null;
        // A product that was taken off the market takes its offers along.
        if (!offer || !product) problems.push(`${title}: no longer for sale.`);
        else if (offer.closed !== null) problems.push(`${title}: ${closedWords(offer)}.`);
        else if (quantity > offer.left) problems.push(`${title}: only ${offer.left} left.`);
        lines.push({ name, offer, product, title, quantity, amount });
    }
    return { lines, total: sum(lines.map((line) => line.amount)), problems };
}

function closedWords(offer) {
    if (offer.closed === "recalled") return "recalled, it must not be sold";
    if (offer.closed === "held") return "temporarily unavailable, on hold by the farm";
    return offer.closed === "over" ? "the offer has ended" : "sold out";
}

/** @param {({minor: number, currency: string}|null)[]} amounts @returns {any} null where they cannot be added up */
export function sum(amounts) {
    const known = amounts.filter((amount) => amount !== null);
    if (known.length === 0 || known.some(({ currency }) => currency !== known[0].currency)) return null;
    return { minor: known.reduce((total, { minor }) => total + minor, 0), currency: known[0].currency };
}
