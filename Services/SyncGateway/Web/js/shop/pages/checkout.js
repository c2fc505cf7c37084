/**
 * The last step: where it is picked up and how it is paid. It can be done without a network; the order is then sent as
 * soon as there is one, and paid at the pick-up.
 */
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { money } from "../../common/format.js";
import { nothingYet } from "../../common/parts.js";
import { keepFact, fact } from "../../common/storage.js";
import { goInstead } from "../address.js";
import { pricedCart } from "../cart.js";
import { nameOfSent, promiseOrder } from "../outbox.js";
import { accountNote, placeWords } from "../parts.js";

/** @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const cart = await pricedCart(catalog);
    /** @type {any[]} */
    const content = [h("p.crumbs", null, h("a", { href: "/cart" }, "Cart")),
        h("div.head", null, h("h1", { tabindex: "-1" }, "Order"))];
    const points = pickupsFor(cart.lines, catalog);
    if (cart.lines.length === 0) {
        content.push(nothingYet("packed", "The cart is empty.", h("a.button", { href: "/shop" }, "To the shop")));
    } else if (points.length === 0) {
        content.push(nothingYet("info", "There is no place where all of this can be picked up. Order it in two parts.",
            h("a.button", { href: "/cart" }, "To the cart")));
    } else {
        content.push(h("div.columns", null, h("div.card", null, await question(context, cart, points)), summary(cart)));
    }
    return { title: "Order", name: "checkout", dependsOnConnection: true, content };
}

/** @returns {any[]} the places that give out everything in the cart */
function pickupsFor(lines, catalog) {
    return catalog.pickups.filter((point) => lines.every(({ offer }) =>
        !offer?.pickups?.length || offer.pickups.includes(point.id)));
}

async function question(context, cart, points) {
    const last = await fact("pickup");
    const first = points.find((point) => point.id === last) ?? points[0];
    const methods = (await fact("payments")) ?? ["at-pickup"];
    const canPayNow = context.isOnline() && context.me !== null && methods.includes("sandbox");
    const element = form({
        name: "order", title: "Where do you pick it up?",
        submit: context.needsSignIn() ? "Keep the order, then sign in" : "Order now",
        lead: context.isOnline() ? !canPayNow && "You pay there, when you have it in your hands."
            : "There is no connection just now. The order is kept on this device and sent once, as soon as there is "
                + `one${context.needsSignIn() ? " and you are signed in" : ""}. You pay when you pick it up.`,
        fields: [{
            name: "pickup", label: "Pick-up point", type: "select", required: true, value: first.id,
            options: points.map((point) => [point.id, point.title]),
        }, ...(canPayNow ? [{
            name: "payment", label: "How do you pay?", type: "select", required: true, value: "at-pickup",
            hint: "Online, the boxes are kept for a quarter of an hour until you have paid.",
            options: [["at-pickup", "At the pick-up, in the hand"],
                ["sandbox", "Now, online (for trying out: no money moves)"]],
        }] : [])],
        prepare: (/** @type {Record<string, any>} */ { pickup }) => pickup.after(placeWords(pickup, points)),
        send: async ({ pickup, payment = "at-pickup" }) => {
            const lines = cart.lines.map(({ name, quantity }) => ({ offer: name, quantity }));
            const shown = {
                total: cart.total, pickup: points.find((point) => point.id === pickup)?.title,
                lines: cart.lines.map(({ title, quantity, amount }) => ({ title, quantity, amount })),
            };
            await keepFact("pickup", pickup);
            return promiseOrder({ lines, pickup, payment }, shown, context.me?.person ?? null);
        },
        done: async (id, { payment }) => {
            if (id === null) {
                await context.refresh();
                context.say("warning", "The cart has changed meanwhile: nothing was ordered from here.");
                return;
            }
            context.announce("Your order is written down.");
            await context.sync();
            const order = payment === "sandbox" ? nameOfSent(id) : null;
            goInstead("/checkout", order === null ? "/orders" : `/orders/${order}`);
        },
    });
    return [accountNote(context), element];
}

function summary(cart) {
    return h("section.card", { "aria-labelledby": "summary" }, h("h2", { id: "summary" }, "What you order"),
        h("ul.rows", { role: "list" }, cart.lines.map(({ title, quantity, amount }) => h("li.step", null,
            h("span", null, `${quantity} × ${title}`), h("span", null, amount ? money(amount) : "–")))),
        h("p.total", null, "Together ", h("strong", null, cart.total ? money(cart.total) : "–")));
}
