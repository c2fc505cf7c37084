/** A form field with the opening times of a place: days of the week, and from when to when. */
import { freshID, h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { weekdayNames } from "../common/opening-times.js";

const most = 14;

/** A field whose value is a list of opening times. It has the interface of `Field`. */
export class OpeningTimes {
    /**
     * @param {object} given
     * @param {string} given.name the member of the request body
     * @param {string} given.label
     * @param {import("../common/opening-times.js").OpeningTime[]} [given.value]
     */
    constructor({ name, label, value = [] }) {
        this.name = name;
        this.error = h("p.field-error", { id: freshID(`${name}-error`), hidden: true });
        this.list = h("div.opening-times", { oninput: () => this.showError(null) });
        this.control = h("button.button.button-quiet", { type: "button", onclick: () => this.add().boxes[0].focus() },
            t`Add times`);
        this.element = h("fieldset.field.field-choices", { "data-field": name, "aria-describedby": this.error.id },
            h("legend", null, label), this.list, h("div", null, this.control), this.error);
        /** @type {{element: HTMLElement, boxes: any[], from: any, to: any}[]} */
        this.rows = [];
        for (const time of value) this.add(time);
    }

    /** Adds a row, and returns it. */
    add({ weekdays = [], from = "", to = "" } = {}) {
        const [short, long] = [weekdayNames("short"), weekdayNames("long")];
        const boxes = short.map((_name, index) => h("input", { type: "checkbox", id: freshID("opens"),
            value: String(index + 1), checked: weekdays.includes(index + 1), "aria-label": long[index] }));
        const clock = (label, value) => h("input", { type: "time", "aria-label": label, value });
        const row = { element: h("div"), boxes, from: clock(t`Opens at`, from), to: clock(t`Closes at`, to) };
        row.element = h("div.opening-time", { role: "group", "aria-label": t`Opening time` },
            h("div.opening-days", null, boxes.map((box, index) =>
                h("label", { for: box.id }, box, h("span", { "aria-hidden": "true" }, short[index])))),
            h("div.opening-clocks", null, row.from, "–", row.to,
                h("button.button.button-quiet", { type: "button", "aria-label": t`Remove this time`,
                    onclick: () => this.remove(row) }, icon("cross"))));
        this.rows.push(row);
        this.list.append(row.element);
        this.control.hidden = this.rows.length >= most;
        return row;
    }

    remove(row) {
        this.rows = this.rows.filter((one) => one !== row);
        row.element.remove();
        this.control.hidden = false;
        this.showError(null);
        this.control.focus();
    }

    /** The rows as they are, also if something is missing. */
    get draft() {
        return this.rows.map(({ boxes, from, to }) => ({
            weekdays: boxes.filter((box) => box.checked).map((box) => Number(box.value)),
            from: from.value, to: to.value,
        }));
    }

    set draft(times) {
        for (const { element } of this.rows) element.remove();
        this.rows = [];
        for (const time of times) this.add(time);
    }

    get value() {
        return this.draft.filter(({ weekdays, from, to }) => weekdays.length > 0 || from || to);
    }

    check() {
        const isRight = this.value.every(({ weekdays, from, to }) => weekdays.length > 0 && from && to && from < to);
        this.showError(isRight ? null : t`Each time needs a day, and a beginning before its end.`);
        return isRight;
    }

    showError(text) {
        this.error.hidden = text === null;
        this.error.textContent = text ?? "";
    }
}
