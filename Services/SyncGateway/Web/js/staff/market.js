/** Products, offers, stock and pick-up points, for the staff's pages about sales. */
import { CachedLists } from "../common/cache.js";
import { h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { head } from "../common/parts.js";
import { asOf } from "./parts.js";

const collator = new Intl.Collator("en", { numeric: true });
const paths = {
    farms: "/v1/farms", lots: "/v1/lots", products: "/v1/products", offers: "/v1/offers", stock: "/v1/stock",
    places: "/v1/pickups",
};
const ways = [
    ["/market", t`Orders`], ["/market/products", t`Products`], ["/market/stock", t`Stock`],
    ["/market/promotions", t`Promotions`], ["/market/suggestions", t`Suggestions`], ["/market/places", t`Places`],
    ["/market/farm", t`Farm`],
];

/** Loads lists from the server or the cache. @param {...keyof typeof paths} names @returns {Promise<Market>} */
export async function loadMarket(...names) {
    const cached = new CachedLists();
    const lists = await Promise.all(names.map((name) => cached.list(paths[name])));
    return new Market(Object.fromEntries(names.map((name, index) => [name, lists[index]])), cached.since);
}

/** Records of the market by id. */
export class Market {
    constructor({ farms = [], lots = [], products = [], offers = [], stock = [], places = [] }, since) {
        const byTitle = (left, right) => collator.compare(left.title, right.title);
        this.since = since;
        this.farms = farms;
        this.lots = new Map(lots.map((lot) => [lot.lot, lot]));
        this.products = [...products].sort(byTitle);
        this.productsByName = new Map(products.map((product) => [product.product, product]));
        this.offers = offers;
        this.stock = new Map(stock.map((row) => [row.lot, row]));
        this.places = [...places].sort(byTitle);
        this.placesByName = new Map(places.map((place) => [place.pickup, place]));
    }

    /** @param {string} [farm] @returns {string} its IANA time zone */
    zone(farm) {
        return (this.farms.find((one) => one.farm === farm) ?? this.farms[0])?.zone ?? "UTC";
    }

    /** @param {string} product @returns {string} its title */
    title(product) {
        return this.productsByName.get(product)?.title ?? product;
    }

    /** @param {string|undefined} pickup @returns {string} its title */
    placeTitle(pickup) {
        return this.placesByName.get(pickup)?.title ?? pickup ?? t`No pick-up point`;
    }

    /** @param {string} product @returns {any[]} its offers, open ones first */
    offersOf(product) {
        const own = this.offers.filter((offer) => offer.product === product);
        return own.sort((left, right) => Number(Boolean(left.closed)) - Number(Boolean(right.closed)));
    }

    /** @returns {string} the currency of the existing offers; EUR if there are none */
    get currency() {
        return this.offers[0]?.price.currency ?? "EUR";
    }
}

/**
 * Returns the head of a page about sales: title, tabs, and the age of cached data.
 * @param {string} title @param {string} path of the page @param {string} lead @param {number|null} [since]
 */
export function marketHead(title, path, lead, since = null) {
    return [
        head(title, lead),
        h("nav.tabs", { "aria-label": t`Sales` }, h("ul", { role: "list" }, ways.map(([way, text]) =>
            h("li", null, h("a", { href: `#${way}`, "aria-current": way === path && "page" }, text))))),
        asOf(since),
    ];
}

/** Returns a small picture, or an icon if there is none. @param {string} [sha] @param {string} [alt] */
export function thumbnail(sha, alt = "") {
    return h("span.thumb", null, sha ? h("img", { src: `/media/${sha}`, alt, loading: "lazy" }) : icon("basket"));
}
