/** A plan or map: a picture of a place with a pin for each thing that has a spot on it. */
import { cachePicture } from "../common/cache.js";
import { fill, freshID, h } from "../common/dom.js";
import { t } from "../common/language.js";
import { stateNames } from "./stocktake-count.js";

/** Thousandths that an arrow key moves a pin, and with Shift. */
const Steps = { small: 10, large: 50 };

/**
 * @typedef {{x: number, y: number}} Spot thousandths of the plan's width and height, from its upper left corner
 * @typedef {object} Pin
 * @property {string} thing
 * @property {string} title
 * @property {Spot} spot
 * @property {string} [state] of a stocktake: `found`, `missing`, `doubled`
 * @property {string} [mark] what is written in the pin
 */

/**
 * Returns a plan with pins.
 * @param {string} plan the SHA-256 of the picture @param {Pin[]} pins
 * @param {{label: string, chosen?: string|null, choose: (thing: string) => void}} given
 * @returns {HTMLElement}
 */
export function planView(plan, pins, { label, chosen = null, choose }) {
    cachePicture(plan);
    /** @param {Pin} pin */
    const pin = ({ thing, title, state, mark = markOf(state) }) =>
        h(`button.pin${state ? `.pin-${state}` : ""}`, { type: "button", title, "data-pin": thing,
            "aria-pressed": String(thing === chosen), "aria-label": state ? `${title}: ${stateNames[state]}` : title,
            onclick: () => choose(thing) }, h("span", null, mark));
    return h("div.plan", null, h("img", { src: `/media/${plan}`, alt: label, decoding: "async" }),
        h("ul", { role: "list" }, pins.map((one) => at(one.spot, h("li.pin-place", null, pin(one))))));
}

/** A state has a mark, so that it is not shown by colour alone. */
function markOf(state) {
    return { found: "✓", missing: "?", doubled: "2" }[state] ?? "";
}

/** @template {HTMLElement} T @param {Spot} spot @param {T} element @returns {T} */
function at({ x, y }, element) {
    element.style.left = `${x / 10}%`;
    element.style.top = `${y / 10}%`;
    return element;
}

/** A form field whose value is a spot on a plan. */
export class SpotField {
    /** @param {{name: string, label: string, plan: string, value?: Spot}} given */
    constructor({ name, label, plan, value }) {
        this.name = name;
        this.value = value;
        const id = freshID(`spot-${name}`);
        this.place = h("span.pin-place", null, h("span.pin", { "aria-hidden": "true" }));
        this.control = h("div.plan.plan-choice", { id, tabindex: "0", role: "group", "aria-label": label,
            "aria-describedby": `${id}-hint ${id}-state` },
            h("img", { src: `/media/${plan}`, alt: "", draggable: "false" }), this.place);
        this.state = h("span", { id: `${id}-state`, role: "status" });
        this.remove = h("button.link", { type: "button", onclick: () => this.set(undefined) }, t`Take the pin away`);
        this.control.addEventListener("click", (event) => this.point(event));
        this.control.addEventListener("keydown", (event) => this.move(event));
        this.element = h("div.field", { "data-field": name },
            h("span.label", null, label, h("span.optional", null, t` (optional)`)),
            h("p.hint", { id: `${id}-hint` }, t`Tap where it is, or move the pin with the arrow keys.`),
            this.control, h("p.hint", null, this.state, " ", this.remove));
        this.show();
    }

    get draft() {
        return this.value ? `${this.value.x} ${this.value.y}` : "";
    }

    set draft(text) {
        const [x, y] = text.split(" ").map(Number);
        this.value = text ? { x, y } : undefined;
        this.show();
    }

    check() {
        return true;
    }

    showError(text) {
        this.state.textContent = text ?? "";
    }

    show() {
        this.place.hidden = this.value === undefined;
        this.remove.hidden = this.value === undefined;
        if (this.value) at(this.value, this.place);
        fill(this.state, this.value ? t`The pin is ${Math.round(this.value.x / 10)} % from the left and
            ${Math.round(this.value.y / 10)} % from the top.` : t`There is no pin yet.`);
    }

    set(value) {
        this.value = value;
        this.show();
        this.element.dispatchEvent(new Event("input", { bubbles: true }));
    }

    point(event) {
        const box = this.control.getBoundingClientRect();
        this.set({ x: thousandths((event.clientX - box.left) / box.width),
            y: thousandths((event.clientY - box.top) / box.height) });
    }

    move(event) {
        const [right, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
            ?? [0, 0];
        if (right === 0 && down === 0) return;
        event.preventDefault();
        const step = event.shiftKey ? Steps.large : Steps.small;
        const { x, y } = this.value ?? { x: 500, y: 500 };
        this.set({ x: thousandths((x + right * step) / 1000), y: thousandths((y + down * step) / 1000) });
    }
}

function thousandths(share) {
    return Math.round(1000 * Math.min(1, Math.max(0, share)));
}
