/** The page of stock: the boxes of each lot that are for sale, ordered and available. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { loadMarket, marketHead } from "../market.js";
import { unprocessedNote } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const market = await loadMarket("lots", "stock");
    const lots = rows(market);
    return {
        title: t`Stock`, name: "market-stock",
        content: [
            marketHead(t`Stock`, "/market/stock", t`The boxes of each lot. No box is sold twice.`, market.since),
            lots.length > 0 ? h("ul.stock", { role: "list" }, lots.map((row) => card(row, context)))
                : nothingYet("packed", t`No lot is packed yet.`, h("a", { href: "#/lots" }, t`Go to the lots`)),
        ],
    };
}

/** Lots with boxes: sellable ones first, newest first; also lots that only the stock list still has. */
function rows(market) {
    const names = new Set([...market.stock.keys(),
        ...[...market.lots.values()].filter((lot) => lot.boxes > 0).map((lot) => lot.lot)]);
    const all = [...names].map((lot) => {
        const known = market.lots.get(lot);
        const stock = market.stock.get(lot);
        return {
            lot, product: known?.product ?? stock?.product ?? lot, packed: stock?.packed ?? known?.boxes ?? 0,
            harvested: known?.harvested ?? "", boxes: stock?.boxes ?? 0, held: stock?.held ?? 0,
            ordered: stock?.ordered ?? 0, collected: stock?.collected ?? 0, free: stock?.free ?? 0,
            blocked: stock?.blocked ?? known?.recalled, waiting: stock?.waiting,
            gone: stock?.gone || Boolean(known?.handedTo),
        };
    });
    return all.sort((left, right) => Number(Boolean(left.blocked)) - Number(Boolean(right.blocked))
        || right.harvested.localeCompare(left.harvested));
}

function card(row, context) {
    const number = (name, value) => h("div", null, h("dt", null, name), h("dd", null, String(value)));
    return h("li.card", { "data-stock": row.lot },
        h("h2", null, row.product), h("p", null, h("a.code", { href: `#/lots/${row.lot}` }, row.lot)),
        row.blocked && h("p.lot-alarm", null, icon("warning"), t`Must not be sold: ${row.blocked}`),
        row.gone && h("p.quiet", null, t`It has left the farm.`),
        row.waiting && unprocessedNote(t`A message about this lot`),
        h("dl.facts.stock-facts", null, number(t`Available`, row.free), number(t`Ordered`, row.ordered),
            number(t`In carts`, row.held), number(t`For sale`, row.boxes), number(t`Collected`, row.collected),
            number(t`Packed`, row.packed)),
        context.can("grower") && !row.blocked && !row.gone && h("details.fold", null,
            h("summary", null, t`Correct the stock`),
            count(row, context), adjust(row, context)));
}

function count(row, context) {
    return form({
        name: `count ${row.lot}`, submit: t`Save`, keepsDraft: true,
        fields: [{ name: "boxes", label: t`Boxes for sale`, type: "number", required: true, value: row.boxes,
            hint: t`${row.packed} packed, ${row.collected} collected; ${row.held + row.ordered} reserved or
                ordered.`,
            attributes: { min: row.held + row.ordered, max: row.packed - row.collected, step: 1 } }],
        send: (values, key) => command("PUT", `/v1/stock/${row.lot}`, values, key),
        done: (answer) => announceAndRefresh(context, t`${answer.boxes} boxes of ${row.lot} are for sale.`),
    });
}

function adjust(row, context) {
    return form({
        name: `adjust ${row.lot}`, submit: t`Save`, keepsDraft: true,
        fields: [
            { name: "by", label: t`Boxes to add (negative to remove)`, type: "number", required: true,
                attributes: { step: 1, min: -row.boxes, max: Math.max(0, row.packed - row.collected - row.boxes) } },
            { name: "reason", label: t`Reason`, required: true, hint: t`Dropped, eaten, given away …`,
                attributes: { maxlength: 200 } },
        ],
        send: (values, key) => command("POST", `/v1/stock/${row.lot}/adjustments`, values, key),
        done: (answer) => announceAndRefresh(context, t`${answer.boxes} boxes of ${row.lot} are for sale.`),
    });
}

function announceAndRefresh(context, text) {
    context.announce(text);
    return context.refresh();
}
