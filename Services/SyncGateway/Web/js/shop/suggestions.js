/**
 * Suggestions, each with its reason: fetched after the page is there, kept for days without a network, and never of
 * something that cannot be bought.
 */
import { fill, h, when } from "../common/dom.js";
import { dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { answered, fact, transact } from "../common/storage.js";
import { productCard } from "./parts.js";

const Limits = { items: 4, asked: 8, kept: 40, answerMilliseconds: 10_000 };

/**
 * @param {import("./main.js").Context} context
 * @param {import("./catalog.js").Catalog} catalog
 * @param {object} wanted
 * @param {string[]} wanted.kinds the shelves, in their order: `again`, `popular`, `discover`, `together`, `next`
 * @param {string[]} [wanted.cart] products that the shelves shall go with
 * @param {Set<string>} [wanted.shown] products that the page shows already and that nobody has to discover
 * @returns {HTMLElement} hidden as long as there is nothing on them
 */
export function shelves(context, catalog, { kinds, cart = [], shown = new Set() }) {
    const section = h("section.block.shelves", { hidden: true, "aria-label": "Suggestions" });
    const key = `${context.me?.person ?? ""}|${[...cart].sort().join(",")}`;
    const draw = (answer, isOld) => {
        const told = kinds.map((kind) => answer.shelves.find((one) => one.shelf === kind));
        const filled = told.map((one) => shelf(one, catalog, shown, cart)).filter((one) => one !== null);
        section.hidden = filled.length === 0;
        fill(section, filled, isOld && h("p.quiet.as-of", null, icon("offline"), h("span", null,
            "No connection: suggested on ", when(answer.at, dayAndClock(answer.at)), ".")));
    };
    const load = async () => {
        const kept = await recall(key);
        if (kept) draw(kept, !context.isOnline());
        const fresh = await ask(cart);
        if (fresh === null) {
            if (kept) draw(kept, true);
            return;
        }
        draw(fresh, false);
        await keep(key, fresh);
    };
    load().catch((error) => console.warn(error));
    return section;
}

function shelf(told, catalog, shown, cart) {
    const items = (told?.items ?? []).filter(({ product }) => {
        if (cart.includes(product) || (told.shelf === "discover" && shown.has(product))) return false;
        const known = catalog.productsByName.get(product);
        return known !== undefined && catalog.bestOffer(known) !== null;
    });
    if (items.length === 0) return null;
    return [
        h("h2", null, told.title),
        h("ul.grid.suggestions", { role: "list", "data-shelf": told.shelf },
            items.slice(0, Limits.items).map(({ product, reason }) =>
                productCard(catalog.productsByName.get(product), catalog, "h3", reason))),
    ];
}

/** @returns {Promise<{at: number, shelves: any[]}|null>} null where nobody answers */
async function ask(cart) {
    const address = new URL("/v1/shelves", location.origin);
    address.searchParams.set("limit", String(Limits.asked));
    if (cart.length > 0) address.searchParams.set("with", cart.join(","));
    try {
        const response = await fetch(address, {
            credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(Limits.answerMilliseconds),
        });
        if (!response.ok) return null;
        const { shelves: told = [] } = await response.json();
        return { at: Date.now(), shelves: told };
    } catch {
        return null;
    }
}

async function recall(key) {
    return ((await fact("shelves")) ?? []).find((one) => one.key === key)?.answer ?? null;
}

/** The newest come first; the oldest are forgotten. */
function keep(key, answer) {
    return transact(["facts"], "readwrite", async (facts) => {
        const before = (await answered(facts.get("shelves"))) ?? [];
        const rest = before.filter((one) => one.key !== key);
        facts.put([{ key, answer }, ...rest].slice(0, Limits.kept), "shelves");
    });
}
