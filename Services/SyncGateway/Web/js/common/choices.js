/** A form field with several choices, one checkbox each. It has the interface of `Field`. */
import { freshID, h } from "./dom.js";

/** A field whose value is a list of selected options. */
export class Choices {
    /**
     * @param {object} given
     * @param {string} given.name the member of the request body
     * @param {string} given.label
     * @param {string} [given.hint]
     * @param {[string, string][]} given.options value and text
     * @param {string[]} [given.value] the selected values
     */
    constructor({ name, label, hint, options, value = [] }) {
        this.name = name;
        const id = freshID(`choices-${name}`);
        this.error = h("p.field-error", { id: `${id}-error`, hidden: true });
        this.boxes = options.map(([key]) =>
            h("input", { type: "checkbox", id: `${id}-${key}`, value: key, checked: value.includes(key), name }));
        this.control = this.boxes[0];
        this.element = h("fieldset.field.field-choices", { "data-field": name,
            "aria-describedby": [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(" ") },
            h("legend", null, label), hint && h("p.hint", { id: `${id}-hint` }, hint),
            options.map(([key, text], index) => h("div.field-check", null,
                this.boxes[index], h("label", { for: `${id}-${key}` }, text))),
            this.error);
    }

    /** @returns {string[]} */
    get value() {
        return this.boxes.filter((box) => box.checked).map((box) => box.value);
    }

    /** The value that a draft stores. */
    get draft() {
        return this.value;
    }

    set draft(value) {
        for (const box of this.boxes) box.checked = value.includes(box.value);
    }

    check() {
        return true;
    }

    showError(text) {
        this.error.hidden = text === null;
        this.error.textContent = text ?? "";
    }
}
