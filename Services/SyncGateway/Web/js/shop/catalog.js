/** The catalogue: farms, products and offers, joined from the records in this browser. */
import { t } from "../common/language.js";
import { all, readValue } from "../common/storage.js";
import { entriesOf, outbox } from "./outbox.js";
import { loadPreferences } from "./preferences.js";
import { unwanted } from "./wanted.js";

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Compares two titles in natural order. @param {string} left @param {string} right @returns {number} */
export function compare(left, right) {
    return collator.compare(left, right);
}

/** Reads the catalogue from the browser's storage. @returns {Promise<Catalog>} */
export async function loadCatalog() {
    const tables = ["site", "farms", "products", "offers", "pickups", "lots", "favourites"];
    const [rows, pending, me, preferences] = await Promise.all([
        Promise.all(tables.map(all)), outbox(), readValue("me"), loadPreferences()]);
    const catalog = new Catalog(Object.fromEntries(tables.map((table, index) => [table, rows[index]])), pending, me);
    catalog.hide(preferences);
    return catalog;
}

/** The joined records. */
export class Catalog {
    /**
     * @param {Record<string, any[]>} rows of each table @param {any} me
     * @param {import("../common/outbox.js").OutboxEntry[]} pending
     */
    constructor({ site, farms, products, offers, pickups, lots, favourites }, pending, me) {
        const byTitle = (left, right) => compare(left.title, right.title);
        this.site = site[0] ?? null;
        /** The promotions that apply, those among them that are shown, and those by product: `decidePromotions`. */
        this.decided = [];
        /** When that was decided, in milliseconds since 1970. */
        this.decidedAt = 0;
        this.promotions = [];
        this.promoted = new Map();
        /** What the person prefers, and the products that are not shown therefore: `hide`. */
        this.preferences = null;
        this.hidden = new Set();
        this.farms = [...farms].sort(byTitle);
        this.pickups = [...pickups].sort(byTitle);
        this.lots = new Map(lots.map((lot) => [lot.id, lot]));
        this.farmsByName = new Map(farms.map((farm) => [farm.id, farm]));
        this.offers = new Map(offers.map((offer) => [offer.id, this.opened(offer)]));
        const open = Map.groupBy
            ? Map.groupBy(this.offers.values(), (offer) => offer.product) : grouped(this.offers.values());
        this.products = products.map((product) => ({ ...product, offers: open.get(product.id) ?? [] })).sort(byTitle);
        this.productsByName = new Map(this.products.map((product) => [product.id, product]));
        this.liked = new Set(favourites.map(({ kind, name }) => `${kind}.${name}`));
        for (const row of entriesOf(pending, me).filter(({ table }) => table === "favourites")) {
            if (row.change === "created") this.liked.add(row.body.id);
            else this.liked.delete(row.body.id);
        }
    }

    /** Takes what a person does not want out of `products`. Carts and orders still find it by its name. */
    hide(preferences) {
        this.preferences = preferences;
        this.hidden = new Set(this.products.filter((one) => unwanted(one, preferences)).map(({ id }) => id));
        this.products = this.products.filter(({ id }) => !this.hidden.has(id));
    }

    /** Whether a product's contents matter to the person and the farm has not declared them. */
    isUnclear({ contents }) {
        return !contents && (this.preferences?.avoid.length > 0 || Boolean(this.preferences?.diet));
    }

    /** Returns an offer with the available quantity and, if it is closed, the reason. */
    opened(offer) {
        const lot = this.lots.get(offer.lot);
        const isOver = offer.until && Date.parse(offer.until) <= Date.now();
        const recalled = lot?.recalled ?? lot?.blocked ?? null;
        const free = Math.floor(Math.max(0, lot?.free ?? 0) / Math.max(1, offer.takes ?? 1));
        const isHeld = lot?.onHold === true;
        const closed = recalled !== null ? "recalled" : isOver ? "over" : isHeld ? "held"
            : free === 0 ? t`sold out` : null;
        const { harvested = null, gtin = null } = lot ?? {};
        return { ...offer, left: closed === null ? free : 0, closed, recalled, harvested, gtin };
    }

    /** @param {any} product @returns {any|null} the cheapest open offer */
    bestOffer(product) {
        const open = product.offers.filter((offer) => offer.closed === null);
        return open.sort((left, right) => left.price.minor - right.price.minor)[0] ?? null;
    }

    /** @returns {any[]} products with an open offer */
    get onSale() {
        return this.products.filter((product) => this.bestOffer(product) !== null);
    }

    /** @param {string} farm @returns {any[]} its products */
    productsOf(farm) {
        return this.products.filter((product) => product.farm === farm);
    }

    /** @param {any} farm @returns {boolean} whether it has goods for sale, here or at the farm */
    hasGoods(farm) {
        return farm.hasGoods === true || this.productsOf(farm.id).some((product) => this.bestOffer(product) !== null);
    }

    /**
     * The counties with their farms. If two states have a county of the same name, the title includes the state.
     * @returns {{name: string, region: string|null, title: string, farms: any[]}[]} sorted by title
     */
    get counties() {
        const counties = [];
        for (const farm of this.farms) {
            const [name, region] = [farm.county ?? t`Elsewhere`, farm.region ?? null];
            const known = counties.find((county) => county.name === name && county.region === region);
            if (known) known.farms.push(farm);
            else counties.push({ name, region, title: name, farms: [farm] });
        }
        for (const county of counties) {
            const isAlone = counties.filter(({ name }) => name === county.name).length === 1;
            if (!isAlone && county.region) county.title = `${county.name}, ${county.region}`;
        }
        return counties.sort((left, right) => compare(left.title, right.title));
    }
}

function grouped(offers) {
    const groups = new Map();
    for (const offer of offers) groups.set(offer.product, [...(groups.get(offer.product) ?? []), offer]);
    return groups;
}
