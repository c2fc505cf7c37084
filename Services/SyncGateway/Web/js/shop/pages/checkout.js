/**
 * The checkout page: pick-up point and payment. Without a network the order is stored, sent later, and paid in cash.
 */
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { money } from "../../common/format.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { readValue, saveValue } from "../../common/storage.js";
import { replaceAddress } from "../address.js";
import { pricedCart } from "../cart.js";
import { queueOrder, serverIDOf } from "../outbox.js";
import { accountNote, pickupDetails } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const cart = await pricedCart(catalog);
    /** @type {any[]} */
    const content = [h("p.crumbs", null, h("a", { href: "/cart" }, t`Cart`)),
        h("div.head", null, h("h1", { tabindex: "-1" }, t`Checkout`))];
    const points = pickupsFor(cart.lines, catalog);
    if (cart.lines.length === 0) {
        content.push(nothingYet("packed", t`The cart is empty.`, h("a.button", { href: "/shop" }, t`Go to the shop`)));
    } else if (points.length === 0) {
        content.push(nothingYet("info", t`No pick-up point has everything in your cart. Place two orders.`,
            h("a.button", { href: "/cart" }, t`Go to the cart`)));
    } else {
        content.push(h("div.columns", null,
            h("div.card", null, await checkoutForm(context, cart, points)), summary(cart)));
    }
    return { title: t`Checkout`, name: "checkout", dependsOnConnection: true, content };
}

/** @returns {any[]} the pick-up points that have everything in the cart */
function pickupsFor(lines, catalog) {
    return catalog.pickups.filter((point) => lines.every(({ offer }) =>
        !offer?.pickups?.length || offer.pickups.includes(point.id)));
}

async function checkoutForm(context, cart, points) {
    const last = await readValue("pickup");
    const first = points.find((point) => point.id === last) ?? points[0];
    const methods = (await readValue("payments")) ?? ["at-pickup"];
    const canPayNow = context.isOnline() && context.me !== null && methods.includes("sandbox");
    const element = form({
        name: "order", title: t`Where do you pick it up?`,
        submit: context.needsSignIn() ? t`Save the order, then sign in` : t`Order now`,
        lead: context.isOnline() ? !canPayNow && t`Cash on pickup.`
            : t`There is no connection. The order is saved on this device and sent once, as soon as there is
                one${context.needsSignIn() ? t` and you are signed in` : ""}. Cash on pickup.`,
        fields: [{
            name: "pickup", label: t`Pick-up point`, type: "select", required: true, value: first.id,
            options: points.map((point) => [point.id, point.title]),
        }, ...(canPayNow ? [{
            name: "payment", label: t`Payment`, type: "select", required: true, value: "at-pickup",
            hint: t`If you pay online, the boxes are reserved for 15 minutes.`,
            options: [["at-pickup", t`Cash on pickup`],
                ["sandbox", t`Online now (test mode: no money is charged)`]],
        }] : [])],
        prepare: (/** @type {Record<string, any>} */ { pickup }) => pickup.after(pickupDetails(pickup, points)),
        send: async ({ pickup, payment = "at-pickup" }) => {
            const lines = cart.lines.map(({ name, quantity }) => ({ offer: name, quantity }));
            const shown = {
                total: cart.total, pickup: points.find((point) => point.id === pickup)?.title,
                lines: cart.lines.map(({ title, quantity, amount }) => ({ title, quantity, amount })),
            };
            await saveValue("pickup", pickup);
            return queueOrder({ lines, pickup, payment }, shown, context.me?.person ?? null);
        },
        done: async (id, { payment }) => {
            if (id === null) {
                await context.refresh();
                context.say("warning", t`The cart was changed meanwhile. Nothing was ordered.`);
                return;
            }
            context.announce(t`Your order was saved.`);
            await context.sync();
            const order = payment === "sandbox" ? serverIDOf(id) : null;
            replaceAddress("/checkout", order === null ? "/orders" : `/orders/${order}`);
        },
    });
    return [accountNote(context), element];
}

function summary(cart) {
    return h("section.card", { "aria-labelledby": "summary" }, h("h2", { id: "summary" }, t`Your order`),
        h("ul.rows", { role: "list" }, cart.lines.map(({ title, quantity, amount }) => h("li.step", null,
            h("span", null, `${quantity} × ${title}`), h("span", null, amount ? money(amount) : "–")))),
        h("p.total", null, t`Total `, h("strong", null, cart.total ? money(cart.total) : "–")));
}
