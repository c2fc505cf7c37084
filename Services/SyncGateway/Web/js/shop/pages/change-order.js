/** The page that changes quantities and pick-up point of an order. Input is stored until the server responds. */
import { command, Problem } from "../../common/api.js";
import { fill, freshID, h } from "../../common/dom.js";
import { action } from "../../common/form.js";
import { money } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { IdempotencyKey } from "../../common/idempotency.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { one, readValue, saveValue } from "../../common/storage.js";
import { replaceAddress } from "../address.js";
import { sum } from "../cart.js";
import { saveOrder } from "../order-actions.js";
import { refundedMinor } from "../order-text.js";
import { shownTotalKey } from "../outbox.js";
import { pickupDetails, stepper } from "../parts.js";

/**
 * Returns the page; null if the id is unknown.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} name
 */
export async function show(context, catalog, name) {
    const order = await one("orders", name);
    if (order === null) return null;
    const back = h("p.crumbs", null, h("a", { href: `/orders/${name}` }, t`Back to the order`));
    const title = h("div.head", null, h("h1", { tabindex: "-1" }, t`Change the order`));
    const page = { title: t`Change the order`, name: "change-order", dependsOnConnection: true };
    if (order.state !== "placed") {
        return { ...page, content: [back, title, nothingYet("info", t`This order can’t be changed any more.`,
            h("a.button", { href: `/orders/${name}` }, t`Back to the order`))] };
    }
    const change = new Change(order, catalog, context, await readValue(draftOf(name)));
    return { ...page, content: [back, title, !context.isOnline() && h("p.note", null, icon("offline"),
        t` No connection. Your changes are kept on this device. Save them when you are connected.`), change.element] };
}

const draftOf = (name) => `change ${name}`;

class Change {
    constructor(order, catalog, context, draft) {
        this.order = order;
        this.catalog = catalog;
        this.context = context;
        this.lines = order.lines.filter(({ offer }) => offer)
            .map(({ offer, product, quantity, unitPrice }) => ({ offer, product, unitPrice, before: quantity,
                quantity: draft?.lines?.[offer] ?? quantity }));
        this.idempotency = new IdempotencyKey(`change order ${order.id}`);
        this.points = this.openPoints();
        // The stored pick-up point may be closed by now, and the order may have another one.
        this.pickup = this.points.some(({ id }) => id === draft?.pickup) ? draft.pickup : order.pickup;
        this.rows = h("ul.rows.card.cart", { role: "list" });
        this.end = h("div", { role: "status" });
        this.save = action({
            name: `change ${order.id}`, label: t`Save changes`,
            send: () => this.send(), done: (answer) => this.done(answer),
        });
        this.element = h("div", null, this.rows, h("div.card.block", null, this.places()), this.end, this.save);
        this.draw();
    }

    /** @returns {{offer: string, quantity: number}[]} the wanted lines */
    get wishes() {
        return this.lines.filter(({ quantity }) => quantity > 0).map(({ offer, quantity }) => ({ offer, quantity }));
    }

    price({ offer, unitPrice }) {
        return this.catalog.offers.get(offer)?.price ?? unitPrice;
    }

    amount(line) {
        const { minor, currency } = this.price(line);
        return { minor: minor * line.quantity, currency };
    }

    draw() {
        const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.key;
        fill(this.rows, this.lines.map((line) => this.row(line)));
        const total = sum(this.lines.filter(({ quantity }) => quantity > 0).map((line) => this.amount(line)));
        const isPaid = this.order.payment !== "at-pickup";
        const cheaper = total === null ? 0 : this.order.total.minor - total.minor;
        const back = Math.min(cheaper, (this.order.paid?.minor ?? 0) - refundedMinor(this.order));
        const isDearer = isPaid && cheaper < 0;
        fill(this.end,
            h("p.total", null, t`Total `, h("strong", null, total ? money(total) : "–")),
            total === null && h("p.note", null, t`The order would be empty. Cancel it instead.`),
            isDearer && h("p.note", null,
                t`A paid order cannot become more expensive. Place another order for the rest.`),
            isPaid && back > 0 && h("p.quiet", null,
                t`${money({ minor: back, currency: total.currency })} is refunded to you.`));
        this.save.hidden = total === null || isDearer;
        if (focused) this.rows.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }

    row(line) {
        const title = this.catalog.productsByName.get(line.product)?.title ?? line.product;
        const left = this.catalog.offers.get(line.offer)?.left ?? 0;
        const price = this.price(line);
        const isNew = price.minor !== line.unitPrice.minor;
        return h("li.cart-line.plain-line", { "data-line": line.offer },
            h("div.cart-words", null, h("p", null, title),
                h("p.quiet", null, isNew ? t`${money(price)} each now, ${money(line.unitPrice)} when you ordered`
                    : t`${money(price)} each`)),
            stepper(title, line.quantity, line.before + left, (more) => this.step(line, more), `change ${line.offer}`),
            h("p.cart-amount", null, money(this.amount(line))));
    }

    /** @returns {any[]} the order's own pick-up point, and those that have all of its offers */
    openPoints() {
        return this.catalog.pickups.filter((point) => point.id === this.order.pickup || this.lines.every(
            ({ offer }) => !this.catalog.offers.get(offer)?.pickups?.length
                || this.catalog.offers.get(offer).pickups.includes(point.id)));
    }

    places() {
        const id = freshID("place");
        const { points } = this;
        const isClosed = !points.some((point) => point.id === this.pickup);
        const select = h("select", { id, name: "pickup", onchange: () => {
            this.pickup = select.value;
            this.remember();
        } }, isClosed && h("option", { value: this.pickup, selected: true }, t`As ordered (closed now)`),
        points.map((point) => h("option", { value: point.id, selected: point.id === this.pickup }, point.title)));
        return h("div.field", null, h("label", { for: id }, t`Pick-up point`), select, pickupDetails(select, points));
    }

    async step(line, more) {
        line.quantity = Math.max(0, line.quantity + more);
        this.draw();
        await this.remember();
    }

    /** The new pick-up point; undefined if it is unchanged, as a closed one can be kept but not sent. */
    get moved() {
        return this.pickup === this.order.pickup ? undefined : this.pickup;
    }

    remember() {
        const lines = Object.fromEntries(this.lines.map(({ offer, quantity }) => [offer, quantity]));
        return saveValue(draftOf(this.order.id), { lines, pickup: this.moved });
    }

    /** Sends the change. The idempotency key depends on the content, so the same change can be sent again. */
    async send() {
        const body = { lines: this.wishes, pickup: this.moved };
        const key = await this.idempotency.keyFor(body);
        try {
            return await command("PUT", `/v1/orders/${this.order.id}`, body, key);
        } catch (error) {
            if (error instanceof Problem) this.idempotency.reset();
            throw error;
        }
    }

    async done(answer) {
        this.idempotency.reset();
        await saveValue(draftOf(this.order.id), null);
        await saveValue(shownTotalKey(this.order.id), null);
        await saveOrder(this.order, answer);
        this.context.announce(t`The order was changed.`);
        this.context.sync();
        replaceAddress(`/orders/${this.order.id}/change`, `/orders/${this.order.id}`);
    }
}
