/** The page of a store: its measurements and its lots. */
import { list } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { weight } from "../../common/format.js";
import { head, nothingYet } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { noSuch } from "../parts.js";
import { placeClimate } from "./place-climate.js";

/** Returns the page. @param {import("../main.js").Context} _context @param {string} store */
export async function show(_context, store) {
    const place = `store/${store}`;
    const [land, lots] = await Promise.all([loadLand(), list("/v1/lots")]);
    const row = land.places.get(place);
    if (!row) return noSuch("store", "#/stores", "All stores");
    const here = lots.filter((lot) => lot.place === place);
    return {
        title: row.title,
        content: [
            head(row.title, row.cold ? "Cold store" : "Not cooled"),
            await placeClimate(place, row, land.zone(row.farm)),
            h("section.block", null, h("h2", null, "Lots stored here"), here.length === 0
                ? nothingYet("packed", "No lots are stored here.", h("a", { href: "#/lots" }, "All lots"))
                : h("ul.rows", { role: "list" }, here.map((lot) => h("li", null,
                    h("a", { href: `#/lots/${lot.lot}` }, `${lot.product}, ${lot.lot}`), ` ${weight(lot.grams)}`)))),
        ],
    };
}
