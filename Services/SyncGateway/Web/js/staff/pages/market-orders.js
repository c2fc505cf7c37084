/** The page of open orders: a packing list for each pick-up point, and its orders. */
import { list } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { fill, h, when } from "../../common/dom.js";
import { counted, money, orderNumber, recently, stillOwed } from "../../common/format.js";
import { groupBy } from "../../common/groups.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { pendingCollections } from "../collections.js";
import { failedMessageList, recentMessages } from "../failed-messages.js";
import { collectButton } from "../hand-over.js";
import { loadMarket, marketHead } from "../market.js";
import { trySending } from "../outbox.js";

const Limits = { past: 60 };

/** Returns the page. @param {import("../main.js").Context} context @param {string} [chosen] a pick-up point */
export async function show(context, chosen) {
    await trySending();
    const cached = new CachedLists();
    const [market, sales, packing, failedMessages] = await Promise.all([
        loadMarket("farms", "products", "places"), cached.list("/v1/sales?state=placed"), cached.list("/v1/packing"),
        cached.list("/v1/messages/given-up")]);
    const since = market.since ?? cached.since;
    const given = new Set(pendingCollections().map(({ order }) => order));
    const here = sales.filter((order) => !chosen || order.pickup === chosen)
        .sort((left, right) => left.placed.localeCompare(right.placed));
    const points = [...groupBy(here, (order) => order.pickup ?? "")]
        .sort(([left], [right]) => market.placeTitle(left).localeCompare(market.placeTitle(right)));
    return {
        title: t`Orders`, name: "market-orders",
        content: [
            marketHead(t`Orders`, "/market", t`What to pack, and for whom.`, since),
            market.places.length > 1 && filter(market, chosen),
            closedElsewhere(sales, context),
            points.length === 0 && nothingYet("basket", chosen
                ? t`No open orders for this pick-up point.`
                : t`No open orders. New orders appear here as they come in.`),
            points.map(([pickup, orders]) => point(pickup, orders, packing, given, market, context)),
            h("div.block.folds", null, past(market), failedMessageList(recentMessages(failedMessages), market.zone())),
        ],
    };
}

/** Orders whose collection was refused and that are not in the list any more, as another person closed them. */
function closedElsewhere(sales, context) {
    const gone = pendingCollections()
        .filter(({ order, refused }) => refused && !sales.some((one) => one.order === order));
    return gone.map(({ order }) => h("section.card.block", { "data-given": "" },
        h("h2", null, h("a", { href: `#/market/orders/${order}` }, t`Order ${orderNumber(order)}`)),
        collectButton(order, context)));
}

function filter(market, chosen) {
    const link = (path, text, isHere) => h("li", null,
        h("a.pill", { href: `#${path}`, "aria-current": isHere && "true" }, text));
    return h("nav.pills", { "aria-label": t`Pick-up point` }, h("ul", { role: "list" },
        link("/market", t`All places`, !chosen),
        market.places.map(({ pickup, title }) => link(`/market/at/${pickup}`, title, pickup === chosen))));
}

function point(pickup, orders, packing, given, market, context) {
    const place = market.placesByName.get(pickup);
    const lines = packing.find((row) => row.pickup === pickup)?.lines ?? [];
    return h("section.block.point", { "data-point": pickup },
        h("h2", null, market.placeTitle(pickup)),
        place?.hours && h("p.quiet", null, place.hours),
        lines.length > 0 && h("section.card.packing", null,
            h("div.head-row", null, h("h3", null, t`To pack`),
                h("button.button.button-quiet", { type: "button", onclick: () => print() }, icon("print"), t`Print`)),
            packed(lines, market, place?.title)),
        h("ul.sales", { role: "list" }, orders.map((order) =>
            card(order, given.has(order.order), market, context))));
}

function packed(lines, market, title = "elsewhere") {
    return h("div.wide", { tabindex: "0", role: "region", "aria-label": t`To pack for ${title}` }, h("table", null,
        h("thead", null, h("tr", null, [t`Product`, t`Lot`, t`Quantity`, t`Boxes`].map((text) =>
            h("th", { scope: "col" }, text)))),
        h("tbody", null, lines.map((line) => h("tr", null,
            h("th", { scope: "row" }, line.title ?? market.title(line.product),
                line.unit && h("span.quiet", null, `, ${line.unit}`)),
            h("td", null, line.lot ? h("a.code", { href: `#/lots/${line.lot}` }, line.lot) : "–"),
            h("td", null, String(line.quantity)), h("td", null, String(line.boxes)))))));
}

function card(order, isGiven, market, context) {
    const owed = stillOwed(order);
    const isPaid = owed.minor === 0;
    const isUnpaid = order.payment !== "at-pickup" && !isPaid;
    return h("li.card.sale", { "data-sale": order.order, "data-given": isGiven ? "" : null },
        h("div.head-row", null,
            h("h3", null, h("a", { href: `#/market/orders/${order.order}` }, order.name ?? t`No name given`)),
            h("span.sale-number", null, h("span.hidden", null, t`Number `), orderNumber(order.order))),
        h("ul.sale-lines", { role: "list" }, order.lines.map(({ product, lot, quantity }) => h("li", null,
            h("strong", null, `${quantity} × `), market.title(product), lot && h("span.quiet", null, ` ${lot}`)))),
        h("p.quiet", null, t`ordered `, when(order.placed, recently(order.placed, market.zone()))),
        h("p.sale-money", null, isPaid ? [icon("check"), t`Paid, ${money(order.total)}`]
            : isUnpaid ? [icon("clock"), t`Waiting for payment of ${money(order.total)}`]
                : [icon("card"), t`To pay: ${money(owed)}`]),
        (isGiven || (context.can("grower") && !isUnpaid)) && collectButton(order.order, context));
}

/** Collected and cancelled orders, loaded when the section is opened. */
function past(market) {
    const rows = h("div", { role: "status" });
    const fold = h("details.fold.card", null, h("summary", null, t`Collected and cancelled`), rows);
    fold.addEventListener("toggle", async () => {
        if (!fold.open || rows.hasChildNodes()) return;
        fill(rows, h("p.quiet", null, t`One moment …`));
        try {
            const states = ["collected", "cancelled"];
            const lists = await Promise.all(states.map((state) => list(`/v1/sales?state=${state}`)));
            const orders = lists.flat().sort((left, right) => right.placed.localeCompare(left.placed));
            fill(rows, orders.length === 0 ? h("p.quiet", null, t`None yet.`)
                : h("ul.rows", { role: "list" }, orders.slice(0, Limits.past).map((order) => h("li.step", null,
                    h("a", { href: `#/market/orders/${order.order}` },
                        `${orderNumber(order.order)} ${order.name ?? ""}`),
                    h("span.quiet", null, order.state === "collected" ? t`collected, ` : t`cancelled, `,
                        when(order.placed, recently(order.placed, market.zone())), ", ",
                        money(order.total), ", ", counted(order.lines.length, "line"))))));
        } catch (error) {
            fill(rows, h("p.quiet", null, error.message));
        }
    });
    return fold;
}
