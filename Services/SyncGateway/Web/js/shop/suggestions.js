/**
 * Suggestions with their reasons. They are loaded after the page, cached for offline use, and limited to products that
 * can be bought.
 */
import { fill, h, when } from "../common/dom.js";
import { day, dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { readValue, requestResult, transact } from "../common/storage.js";
import { productCard } from "./parts.js";
import { reasonText, shelfTitle } from "./suggestion-text.js";

const Limits = {
    items: 4, picks: 6, requested: 8, requestedForCounty: 50, cached: 40, answerMilliseconds: 10_000,
    timerMilliseconds: 86_400_000,
};

/**
 * Returns a section of suggestions, hidden while it is empty.
 * @param {import("./main.js").Context} context
 * @param {import("./catalog.js").Catalog} catalog
 * @param {object} wanted
 * @param {string[]} wanted.kinds the shelves in order: those of `/v1/shelves`, and `county`, which is chosen from them
 *     here: what the person's county is stays on the device
 * @param {string[]} [wanted.cart] products that the suggestions should match
 * @param {Set<string>} [wanted.shown] products that the page shows already; `discover` omits them
 * @returns {HTMLElement}
 */
export function suggestions(context, catalog, { kinds, cart = [], shown = new Set() }) {
    const section = h("section.block.shelves", { hidden: true, "aria-label": t`Suggestions` });
    const key = `${context.me?.person ?? ""}|${[...cart].sort().join(",")}`;
    const draw = (answer, isOld) => {
        const filled = shownShelves(answer.shelves, kinds, catalog, shown, cart)
            .map((one) => [h("h2", null, one.title), grid(one.shelf, one.items, catalog)]);
        section.hidden = filled.length === 0;
        fill(section, filled, isOld && h("p.quiet.as-of", null, icon("offline"), h("span", null,
            t`No connection: suggested on `, when(answer.at, dayAndClock(answer.at)), ".")));
    };
    const load = async () => {
        const cached = await readCached(key);
        if (cached) draw(cached, !context.isOnline());
        const forCounty = kinds.includes("county") && catalog.preferences.county !== "";
        const fresh = await fetchShelves(cart, forCounty ? Limits.requestedForCounty : Limits.requested);
        if (fresh === null) {
            if (cached) draw(cached, true);
            return;
        }
        draw(fresh, false);
        await cache(key, fresh);
    };
    load().catch((error) => console.warn(error));
    return section;
}

/**
 * Returns the picks of the signed-in person for this day, hidden while there are none. They are the same until the
 * farm's midnight, and shown without a network. After midnight new ones are loaded.
 * @param {import("./main.js").Context} context
 * @param {import("./catalog.js").Catalog} catalog
 * @param {(products: Set<string>) => void} onShown called with the products that are shown, none while none are known
 * @returns {HTMLElement|null} null if no person is signed in
 */
export function dailyPicks(context, catalog, onShown) {
    if (!context.me) return null;
    const section = h("section.block.picks", { hidden: true, "aria-label": t`Picked for you today` });
    const key = `picks|${context.me.person}`;
    const draw = (picks, isOld) => {
        const items = picks.items.filter(({ product }) => isOnSale(product, catalog)).slice(0, Limits.picks);
        section.hidden = items.length === 0;
        fill(section, h("h2", null, isOld ? t`Picked for you` : t`Picked for you today`), grid("daily", items, catalog),
            isOld && h("p.quiet.as-of", null, icon("offline"), h("span", null,
                t`No connection: picked for ${day(`${picks.day}T12:00:00Z`, "UTC")}.`)));
        onShown(new Set(items.map(({ product }) => product)));
    };
    const load = async () => {
        const cached = await readCached(key);
        if (cached && !isOver(cached)) draw(cached, false);
        else onShown(new Set());
        // The products stay the same all day; their reasons change with each order.
        const fresh = await request("/v1/picks");
        const picks = fresh ?? cached;
        if (!picks) return;
        draw(picks, fresh === null && isOver(picks));
        // The shop may have products later on this day.
        if (fresh?.items.length > 0) await cache(key, fresh);
        if (isOver(picks)) return;
        const left = Math.min(new Date(picks.until).getTime() - Date.now(), Limits.timerMilliseconds);
        setTimeout(() => section.isConnected && run(), left);
    };
    const run = () => load().catch((error) => {
        console.warn(error);
        onShown(new Set());
    });
    run();
    return section;
}

function isOver(picks) {
    return new Date(picks.until).getTime() <= Date.now();
}

function isOnSale(product, catalog) {
    const known = catalog.productsByName.get(product);
    return known !== undefined && !catalog.hidden.has(product) && catalog.bestOffer(known) !== null;
}

function grid(name, items, catalog) {
    return h("ul.grid.suggestions", { role: "list", "data-shelf": name }, items.map((item) =>
        productCard(catalog.productsByName.get(item.product), catalog, "h3", reasonText(item))));
}

/** Returns the shelves to show with their titles, in order, each with the items that can be bought. */
function shownShelves(shelves, kinds, catalog, shown, cart) {
    const shelf = (kind, title, items) => ({ shelf: kind, title, items: items.filter(({ product }) =>
        !cart.includes(product) && isOnSale(product, catalog)).slice(0, Limits.items) });
    const known = shelves.map((one) => shelf(one.shelf, shelfTitle(one), one.shelf === "discover"
        ? one.items.filter(({ product }) => !shown.has(product)) : one.items));
    const { county } = catalog.preferences;
    const elsewhere = new Set(known.filter((one) => kinds.includes(one.shelf))
        .flatMap(({ items }) => items.map(({ product }) => product)));
    const all = new Map(shelves.flatMap((one) => one.items.map((item) => [item.product, item])));
    const here = [...all.values()].filter(({ product }) => {
        const farm = catalog.farmsByName.get(catalog.productsByName.get(product)?.farm);
        return county !== "" && farm?.county === county && !elsewhere.has(product);
    });
    known.push(shelf("county", t`From ${county}`, here));
    return kinds.flatMap((kind) => known.filter((one) => one.shelf === kind && one.items.length > 0));
}

/** @returns {Promise<{at: number, shelves: any[]}|null>} null if there is no response */
async function fetchShelves(cart, limit) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (cart.length > 0) query.set("with", cart.join(","));
    const response = await request(`/v1/shelves?${query}`);
    return response && { at: Date.now(), shelves: response.shelves ?? [] };
}

/** @returns {Promise<any>} the response, or null if there is none */
async function request(address) {
    try {
        const response = await fetch(address, {
            credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(Limits.answerMilliseconds),
        });
        if (!response.ok) return null;
        return await response.json();
    } catch {
        return null;
    }
}

async function readCached(key) {
    return ((await readValue("shelves")) ?? []).find((one) => one.key === key)?.answer ?? null;
}

/** Caches a response; the oldest ones are deleted. */
function cache(key, answer) {
    return transact(["facts"], "readwrite", async (facts) => {
        const before = (await requestResult(facts.get("shelves"))) ?? [];
        const rest = before.filter((one) => one.key !== key);
        facts.put([{ key, answer }, ...rest].slice(0, Limits.cached), "shelves");
    });
}
