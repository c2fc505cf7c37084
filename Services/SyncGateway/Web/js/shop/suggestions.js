/**
 * Suggestions with their reasons. They are loaded after the page, cached for offline use, and limited to products that
 * can be bought.
 */
import { fill, h, when } from "../common/dom.js";
import { dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { readValue, requestResult, transact } from "../common/storage.js";
import { productCard } from "./parts.js";

const Limits = { items: 4, requested: 8, cached: 40, answerMilliseconds: 10_000 };

/**
 * Returns a section of suggestions, hidden while it is empty.
 * @param {import("./main.js").Context} context
 * @param {import("./catalog.js").Catalog} catalog
 * @param {object} wanted
 * @param {string[]} wanted.kinds the shelves in order: `again`, `popular`, `discover`, `together`, `next`
 * @param {string[]} [wanted.cart] products that the suggestions should match
 * @param {Set<string>} [wanted.shown] products that the page shows already; `discover` omits them
 * @returns {HTMLElement}
 */
export function suggestions(context, catalog, { kinds, cart = [], shown = new Set() }) {
    const section = h("section.block.shelves", { hidden: true, "aria-label": "Suggestions" });
    const key = `${context.me?.person ?? ""}|${[...cart].sort().join(",")}`;
    const draw = (answer, isOld) => {
        const shelves = kinds.map((kind) => answer.shelves.find((one) => one.shelf === kind));
        const filled = shelves.map((one) => shelfSection(one, catalog, shown, cart)).filter((one) => one !== null);
        section.hidden = filled.length === 0;
        fill(section, filled, isOld && h("p.quiet.as-of", null, icon("offline"), h("span", null,
            "No connection: suggested on ", when(answer.at, dayAndClock(answer.at)), ".")));
    };
    const load = async () => {
        const cached = await readCached(key);
        if (cached) draw(cached, !context.isOnline());
        const fresh = await fetchShelves(cart);
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

function shelfSection(shelf, catalog, shown, cart) {
    const items = (shelf?.items ?? []).filter(({ product }) => {
        if (cart.includes(product) || (shelf.shelf === "discover" && shown.has(product))) return false;
        const known = catalog.productsByName.get(product);
        return known !== undefined && !catalog.hidden.has(product) && catalog.bestOffer(known) !== null;
    });
    if (items.length === 0) return null;
    return [
        h("h2", null, shelf.title),
        h("ul.grid.suggestions", { role: "list", "data-shelf": shelf.shelf },
            items.slice(0, Limits.items).map(({ product, reason }) =>
                productCard(catalog.productsByName.get(product), catalog, "h3", reason))),
    ];
}

/** @returns {Promise<{at: number, shelves: any[]}|null>} null if there is no response */
async function fetchShelves(cart) {
    const address = new URL("/v1/shelves", location.origin);
    address.searchParams.set("limit", String(Limits.requested));
    if (cart.length > 0) address.searchParams.set("with", cart.join(","));
    try {
        const response = await fetch(address, {
            credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(Limits.answerMilliseconds),
        });
        if (!response.ok) return null;
        const { shelves = [] } = await response.json();
        return { at: Date.now(), shelves };
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
