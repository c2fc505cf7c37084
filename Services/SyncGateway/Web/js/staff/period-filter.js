/** The form and the links with which pages choose a period. */
import { h } from "../common/dom.js";
import { Field } from "../common/fields.js";
import { t } from "../common/language.js";
import { neighbour, periodChoices } from "./period.js";

/**
 * Returns the form.
 * @param {import("./period.js").Period} period
 * @param {Field[]} others fields before those of the period
 * @param {(chosen: Record<string, string>) => void} apply is called with the fields' values
 * @returns {HTMLElement}
 */
export function periodFilter(period, others, apply) {
    const kind = new Field({ name: "kind", label: t`Period`, type: "select", isFilter: true, value: period.kind,
        options: periodChoices });
    const until = new Field({ name: "to", label: t`Until`, type: "date", isFilter: true, value: period.last });
    const on = new Field({ name: "on", label: t`Day`, type: "date", isFilter: true, value: period.day });
    const fields = [...others, kind, on, until];
    const arrange = () => {
        until.element.hidden = kind.control.value !== "days";
    };
    kind.control.addEventListener("change", () => {
        arrange();
        // Of the same days, unless another one was chosen already.
        if ([period.first, period.day].includes(on.control.value)) {
            on.control.value = kind.control.value === "days" ? period.first : period.day;
        }
    });
    arrange();
    return h("form.history-filter", {
        onsubmit: (event) => {
            event.preventDefault();
            apply(Object.fromEntries(fields.map((field) => [field.name, field.value ?? ""])));
        },
    }, fields.map(({ element }) => element), h("div.form-end", null, h("button.button", null, t`Show`)));
}

/**
 * Returns links to the periods before and after.
 * @param {import("./period.js").Period} period
 * @param {(given: {kind: string, on: string, to: string}) => string} address
 * @returns {HTMLElement}
 */
export function periodPager(period, address) {
    const link = (by, text) => h("a.button.button-quiet", { href: `#${address(neighbour(period, by))}` }, text);
    return h("nav.pager", { "aria-label": t`Period` },
        link(-1, t`Earlier`), period.to <= Date.now() && link(1, t`Later`));
}

/**
 * Returns the address of a page about a period.
 * @param {string} path @param {{quantity?: string, kind?: string, on?: string, to?: string}} given
 * @returns {string}
 */
export function periodAddress(path, { quantity, kind, on, to }) {
    const given = { quantity, period: kind, on, to: kind === "days" ? to : "" };
    return `${path}?${new URLSearchParams(Object.entries(given).filter(([, value]) => value))}`;
}

/** @param {string} query of the address @returns {{kind: string|null, on: string|null, to: string|null}} */
export function periodGiven(query) {
    const given = new URLSearchParams(query);
    return { kind: given.get("period"), on: given.get("on"), to: given.get("to") };
}
