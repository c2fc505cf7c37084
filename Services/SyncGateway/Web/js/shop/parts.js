/** Elements that several pages of the shop share. */
import { h } from "../common/dom.js";
import { counted, money } from "../common/format.js";
import { drawn, icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { openingText } from "../common/opening-times.js";
import { drawingOf } from "./produce.js";
import { promotionMark } from "./promotions.js";
import { hasPicture, pictureAddress } from "./sync.js";

/**
 * A picture by the SHA-256 of its bytes. Until it is loaded its small copy is shown, and without both an icon of its
 * kind.
 */
class FarmPicture extends HTMLElement {
    async connectedCallback() {
        this.replaceChildren(placeholder(this.getAttribute("kind")));
        for (const sha of [this.getAttribute("small"), this.getAttribute("sha")]) {
            if (sha && await hasPicture(sha).catch(() => false)) this.load(sha);
        }
    }

    load(sha) {
        const image = h("img", { src: pictureAddress(sha), alt: this.getAttribute("words") ?? "", decoding: "async" });
        const isSmall = sha === this.getAttribute("small");
        image.addEventListener("load", () => {
            // The small copy may arrive behind the picture.
            if (!isSmall || !this.querySelector("img")) this.replaceChildren(image);
        });
        image.addEventListener("error", () => this.setAttribute("data-missing", ""));
    }
}
customElements.define("farm-picture", FarmPicture);

/**
 * Returns the picture of a product or farm, as large as there is one.
 * @param {{picture?: string, thumbnail?: string}} thing @param {string} kind @param {string} [words] its alt text
 */
export function picture(thing, kind, words = "") {
    return h("farm-picture", { sha: thing.picture, small: thing.thumbnail, kind, words });
}

/** Returns the small copy of a picture, for lists; the picture itself if there is none. */
export function smallPicture(thing, kind) {
    return h("farm-picture", { sha: thing.thumbnail ?? thing.picture, kind, words: "" });
}

function placeholder(kind) {
    const { tone, path } = drawingOf(kind ?? "");
    return h("span.placeholder", { "data-kind": tone, "aria-hidden": "true" }, drawn(path));
}

/** @param {any} farm @returns {string} its postal address */
export function address(farm) {
    return [farm.street, farm.county, farm.region].filter(Boolean).join(", ");
}

/** @param {{name: string, region: string|null}} county @returns {string} the address of its page */
export function countyAddress({ name, region }) {
    return `/directory/county/${encodeURIComponent(name)}${region ? `?in=${encodeURIComponent(region)}` : ""}`;
}

/** @param {any} farm @param {import("./catalog.js").Catalog} catalog @returns {HTMLElement} a list item */
export function farmCard(farm, catalog, level = "h2") {
    const count = catalog.productsOf(farm.id).filter((product) => catalog.bestOffer(product)).length;
    return h("li.card.farm-card", { "data-farm": farm.id },
        smallPicture(farm, "farm"),
        h("div.card-words", null,
            h(level, null, h("a.stretched", { href: `/farms/${farm.id}` }, farm.title)),
            h("p.quiet", null, address(farm) || t`No address given`),
            catalog.hasGoods(farm) && h("p.goods", null, icon("check"), t`Has goods for sale`,
                count > 0 && `: ${counted(count, "product")}`)));
}

/**
 * Returns the card of a product in a grid.
 * @param {any} product
 * @param {import("./catalog.js").Catalog} catalog
 * @param {string} [level] of its heading
 * @param {string} [reason] why it is suggested
 * @returns {HTMLElement}
 */
export function productCard(product, catalog, level = "h2", reason = "") {
    const offer = catalog.bestOffer(product);
    const farm = catalog.farmsByName.get(product.farm);
    return h("li.card.product-card", { "data-product": product.id },
        smallPicture(product, `${product.category ?? ""} ${product.title}`),
        h("div.card-words", null,
            h(level, null, h("a.stretched", { href: `/products/${product.id}` }, product.title)),
            h("p.quiet", null, farm?.title ?? ""),
            offer ? h("p.price", null, h("strong", null, money(offer.price)), t` for ${product.unit}`)
                : h("p.price.quiet", null, t`Not for sale at the moment`),
            catalog.isUnclear(product) && h("p.because", null, t`Allergens not declared`),
            promotionMark(product, catalog),
            reason !== "" && h("p.because", null, reason)));
}

/** @param {any[]} products @param {import("./catalog.js").Catalog} catalog @returns {HTMLElement} a grid of cards */
export function productGrid(products, catalog, level) {
    return h("ul.grid", { role: "list" }, products.map((product) => productCard(product, catalog, level)));
}

/**
 * Returns the note that an order needs an account.
 * @param {import("./main.js").Context} context
 * @returns {HTMLElement|null} null if the person is signed in
 */
export function accountNote(context) {
    if (!context.needsSignIn()) return null;
    return h("p.note.account-note", null, icon("info"), h("span", null,
        context.me === null ? t`An order needs an account. You can ` : t`You are signed out. You can `,
        h("a", { href: "/sign-in" }, context.me === null ? t`sign in or create one` : t`sign in`),
        t` now or later: the farm receives the order then, and not before.`));
}

/**
 * Returns the address and opening hours of the selected pick-up point, updated with the selection.
 * @param {HTMLSelectElement} select
 * @param {any[]} points
 * @returns {HTMLElement}
 */
export function pickupDetails(select, points) {
    const words = h("p.quiet.place-words", { role: "status" });
    const update = () => {
        const point = points.find(({ id }) => id === select.value);
        words.textContent = [point?.address, openingText(point?.opens), point?.hours].filter(Boolean).join(". ");
    };
    select.addEventListener("change", update);
    update();
    return words;
}

/**
 * Returns a control of a quantity: one less, the value, one more.
 * @param {string} label
 * @param {number} value
 * @param {number} most
 * @param {(more: number) => void} change called with 1 or −1
 * @param {string} key identifies the buttons, so that the focus is restored after a refresh
 * @returns {HTMLElement}
 */
export function stepper(label, value, most, change, key) {
    // A disabled button stays focusable, so that keyboard users do not lose their position.
    const button = (text, word, more, isOver = false) => h("button.step-button", {
        type: "button", "aria-label": `${word}: ${label}`, "data-key": `${key} ${word}`,
        "aria-disabled": isOver && "true", onclick: () => !isOver && change(more),
    }, text);
    return h("div.stepper", { role: "group", "aria-label": t`Quantity: ${label}` },
        button("−", t`One less`, -1), h("output.step-value", null, String(value)),
        button("+", t`One more`, 1, value >= most));
}
