/** A field of a form: label, hint, control and error message. */
import { freshID, h } from "./dom.js";
import { t } from "./language.js";
import { toInstant, toLocal } from "./zones.js";

/**
 * @typedef {object} FieldGiven
 * @property {string} name the member of the request body
 * @property {string} label
 * @property {"text"|"email"|"password"|"number"|"date"|"time"|"datetime"|"select"|"checkbox"|"textarea"} [type]
 * @property {boolean} [required]
 * @property {boolean} [isFilter] a filter of a list: not marked as optional
 * @property {string} [hint]
 * @property {any} [value]
 * @property {[string, string][]} [options] of a select: value and text
 * @property {string} [zone] of a datetime
 * @property {boolean} [isPast] a datetime that must not be in the future when the form is sent
 * @property {(value: any) => any} [convert] converts the entered value to the one that is sent
 * @property {Record<string, any>} [attributes] min, max, step, pattern, autocomplete …
 */

/** A field built from a description. */
export class Field {
    /** @param {FieldGiven} given */
    constructor(given) {
        this.given = given;
        this.name = given.name;
        const id = freshID(`field-${given.name}`);
        this.hint = given.hint ? h("p.hint", { id: `${id}-hint` }, given.hint) : null;
        this.error = h("p.field-error", { id: `${id}-error`, hidden: true });
        /** @type {any} an input, a select or a text area */
        this.control = makeControl(given, id);
        this.control.setAttribute("aria-describedby", [this.hint?.id, this.error.id].filter(Boolean).join(" "));
        this.element = this.arrange(id);
        this.control.addEventListener("input", () => this.showError(null));
    }

    /** @returns {string|undefined} the time zone of a datetime */
    get zone() {
        return this.given.zone;
    }

    arrange(id) {
        const { label, required, type } = this.given;
        const isOptional = !required && type !== "checkbox" && !this.given.isFilter;
        const text = h("label", { for: id }, label, isOptional && h("span.optional", null, t` (optional)`));
        return type === "checkbox"
            ? h("div.field.field-check", null, this.control, h("div", null, text, this.hint, this.error))
            : h("div.field", { "data-field": this.name }, text, this.hint, this.control, this.error);
    }

    /** @returns {any} the value to send; undefined if the field is empty */
    get value() {
        const { type, zone, convert = (value) => value } = this.given;
        if (type === "checkbox") return this.control.checked;
        const text = type === "password" ? this.control.value : this.control.value.trim();
        if (text === "") return undefined;
        if (type === "number") return convert(Number(text));
        if (type === "datetime") return toInstant(text, zone) ?? undefined;
        return convert(text);
    }

    /** The value that a draft stores: the control's content. */
    get draft() {
        return this.given.type === "checkbox" ? this.control.checked : this.control.value;
    }

    set draft(value) {
        if (this.given.type === "checkbox") this.control.checked = value === true;
        else this.control.value = value;
    }

    /** Shows an error beside the control. @param {string|null} text null removes it */
    showError(text) {
        this.error.hidden = text === null;
        this.error.textContent = text ?? "";
        if (text === null) this.control.removeAttribute("aria-invalid");
        else this.control.setAttribute("aria-invalid", "true");
    }

    /** Validates the field and shows its error. @returns {boolean} whether it is valid */
    check() {
        if (this.given.isPast) this.control.max = toLocal(Date.now() + 60_000, this.zone);
        const validity = this.control.validity;
        this.showError(validity.valid ? null : messageFor(validity, this.control, this.given));
        return validity.valid;
    }
}

/** @param {FieldGiven} given @param {string} id */
function makeControl({ name, type = "text", required, value, options, attributes = {} }, id) {
    const shared = { id, name, required, ...attributes };
    if (type === "select") {
        return h("select", shared, (options ?? []).map(([key, text]) =>
            h("option", { value: key, selected: key === (value ?? "") }, text)));
    }
    if (type === "textarea") return h("textarea", { rows: 3, ...shared, value: value ?? "" });
    if (type === "checkbox") return h("input", { type, ...shared, checked: Boolean(value) });
    const kind = type === "datetime" ? "datetime-local" : type;
    const extras = type === "number" ? { step: "any", inputmode: "decimal" } : {};
    return h("input", { type: kind, ...extras, ...shared, value: value ?? "" });
}

/** @param {ValidityState} validity @param {HTMLInputElement} control @param {FieldGiven} given */
function messageFor(validity, control, { label, required }) {
    if (validity.valueMissing || (validity.badInput && required)) return t`${label} is required.`;
    if (validity.typeMismatch && control.type === "email") return t`Enter a valid e-mail address.`;
    if (validity.tooShort) return t`Use at least ${control.minLength} characters.`;
    const isNumber = control.type === "number";
    if (validity.rangeUnderflow) return isNumber ? t`Use ${control.min} or more.` : t`Choose a later date.`;
    if (validity.rangeOverflow) {
        return isNumber ? t`Use ${control.max} or less.` : t`Choose a date that is not in the future.`;
    }
    if (validity.stepMismatch) return Number(control.step) === 1 ? t`Use a whole number.`
        : t`Use fewer decimal places.`;
    if (validity.patternMismatch) return control.title || t`Some of these characters cannot be used here.`;
    return control.validationMessage;
}
