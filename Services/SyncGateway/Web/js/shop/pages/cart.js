/** The page of the cart. */
import { h } from "../../common/dom.js";
import { money } from "../../common/format.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { addToCart, pricedCart } from "../cart.js";
import { accountNote, smallPicture, stepper } from "../parts.js";
import { suggestions } from "../suggestions.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const cart = await pricedCart(catalog);
    /** @type {any[]} */
    const content = [h("div.head", null, h("h1", { tabindex: "-1" }, t`Cart`))];
    if (cart.lines.length === 0) {
        content.push(nothingYet("packed", t`The cart is empty.`, h("a.button", { href: "/shop" }, t`Go to the shop`)));
    } else {
        content.push(
            h("ul.rows.card.cart", { role: "list" }, cart.lines.map((line) => row(line, context))),
            cart.problems.length > 0 && h("div.form-problem", { role: "alert" },
                h("ul", null, cart.problems.map((problem) => h("li", null, problem)))),
            accountNote(context),
            h("div.cart-end", null,
                h("p.total", null, t`Total `, h("strong", null, cart.total ? money(cart.total) : "–")),
                cart.problems.length === 0 && h("a.button", { href: "/checkout" }, t`Go to checkout`)));
    }
    const inside = [...new Set(cart.lines.map(({ product }) => product?.id).filter(Boolean))];
    content.push(suggestions(context, catalog, { kinds: ["together", "next"], cart: inside }));
    return { title: t`Cart`, name: "cart", content };
}

function row({ name, offer, product, title, quantity, amount }, context) {
    const most = Math.max(quantity, Math.min(99, offer?.left ?? 0));
    const change = async (more) => context.announce(t`${title}: ${await addToCart(name, more)} in the cart.`);
    return h("li.cart-line", { "data-line": name },
        smallPicture(product ?? {}, `${product?.category ?? ""} ${title}`),
        h("div.cart-words", null,
            h("p", null, product ? h("a", { href: `/products/${product.id}` }, title) : title),
            offer && h("p.quiet", null, t`${money(offer.price)} for ${product?.unit ?? t`one`}`)),
        stepper(title, quantity, most, change, `line ${name}`),
        h("p.cart-amount", null, amount ? money(amount) : "–"));
}
