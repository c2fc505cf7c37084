/** Promotions on this device: decides which are shown, draws them, and reports what was shown. */
import { h, when } from "../common/dom.js";
import { counted, dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { all, readValue, requestResult, saveValue, transact } from "../common/storage.js";
import { queueShowings } from "./outbox.js";
import { currentPosition, follow, onPosition } from "./position.js";
import { loadPreferences } from "./preferences.js";
import { applying, noted } from "./promotion-rules.js";

const Limits = { checkMilliseconds: 30_000, logged: 200 };

/**
 * Decides which promotions are shown now, and gives them to the catalogue: `promotions`, and `promoted` by product.
 * @param {import("./catalog.js").Catalog} catalog @param {any} me
 */
export async function decidePromotions(catalog, me) {
    const [records, preferences, shown, device] = await Promise.all([
        all("promotions"), loadPreferences(), readValue("promotionsShown"), deviceName()]);
    follow(preferences.promotions && preferences.position && records.some(({ area }) => area));
    catalog.decidedAt = Date.now();
    const decided = applying(records, catalog, {
        now: catalog.decidedAt, position: currentPosition(), host: location.host, preferences,
        person: me?.person ?? device, shown: shown ?? {},
    });
    catalog.decided = decided;
    catalog.promotions = decided.filter(({ isHeldBack }) => !isHeldBack);
    for (const promotion of catalog.promotions) {
        for (const { id } of promotion.products) {
            if (!catalog.promoted.has(id)) catalog.promoted.set(id, promotion);
        }
    }
}

/** Returns a text that changes when other promotions apply. @param {import("./catalog.js").Catalog} catalog */
export function promotionKey(catalog) {
    return catalog.decided.map(({ id, until, title }) => `${id} ${until} ${title}`).join("|");
}

/**
 * Records what a page has shown, and what was held back. Each is reported once for a person who is signed in.
 * @param {import("./catalog.js").Catalog} catalog @param {Set<string>} visible the promotions on the page
 */
export async function noteShowings(catalog, visible, me) {
    const seen = catalog.decided.filter(({ id, isHeldBack }) => isHeldBack || visible.has(id));
    if (seen.length === 0) return;
    const news = await transact(["facts"], "readwrite", async (facts) => {
        const shown = (await requestResult(facts.get("promotionsShown"))) ?? {};
        // The time of the decision: a showing that ends while the page is drawn is not a second one.
        const log = noted(shown, seen.filter(({ isHeldBack }) => !isHeldBack), catalog, catalog.decidedAt);
        facts.put(Object.fromEntries(Object.entries(log).slice(-Limits.logged)), "promotionsShown");
        if (!me) return [];
        const key = ({ id }) => `${me.person}|${id}`;
        const reported = (await requestResult(facts.get("promotionsReported"))) ?? [];
        const fresh = seen.filter((one) => !reported.includes(key(one)));
        if (fresh.length > 0) facts.put([...reported, ...fresh.map(key)].slice(-Limits.logged), "promotionsReported");
        return fresh;
    });
    if (news.length > 0) await queueShowings(news, me.person);
}

/** Looks again when the position or the time changes. @param {() => void} check */
export function watchPromotions(check) {
    onPosition(check);
    setInterval(check, Limits.checkMilliseconds);
}

/** A random name of this device, by which promotions are held back from people without an account. */
async function deviceName() {
    const known = await readValue("device");
    if (known) return known;
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const name = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    await saveValue("device", name);
    return name;
}

/** @param {any[]} promotions @param {import("./catalog.js").Catalog} catalog @returns {HTMLElement} a list */
export function promotionList(promotions, catalog, level = "h3") {
    return h("ul.promotion-list", { role: "list" }, promotions.map((promotion) => {
        const { id, title, text, until, farm, product, category, products } = promotion;
        const place = catalog.farmsByName.get(farm);
        const way = product ? `/products/${product}` : `/shop?kind=${encodeURIComponent(category)}`;
        return h("li.card.promotion", { "data-promotion": id },
            h("p.promotion-mark", null, icon("bell"), place?.title ?? t`For you`),
            h(level, null, h("a.stretched", { href: way }, title)),
            text && h("p", null, text),
            h("p.quiet", null, product ? products[0].title : `${counted(products.length, "product")}: ${category}`,
                t`, until `, when(until, dayAndClock(until, place?.zone)), "."));
    }));
}

/** Returns the mark of a product that is promoted; null if it is not. */
export function promotionMark(product, catalog) {
    const promotion = catalog.promoted.get(product.id);
    return promotion ? h("p.promotion-mark", { "data-promotion": promotion.id }, icon("bell"), promotion.title) : null;
}
