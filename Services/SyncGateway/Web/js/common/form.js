/** Forms and buttons that send a command once, show errors beside the fields, and keep the input until it succeeds. */
import { NoResponse, Problem } from "./api.js";
import { fill, freshID, h } from "./dom.js";
import { deleteDraft, restoreDraft, saveDraft } from "./draft.js";
import { Field } from "./fields.js";
import { withTimesOf } from "./format.js";
import { icon } from "./icons.js";
import { IdempotencyKey } from "./idempotency.js";
import { t } from "./language.js";

/**
 * Returns a form that sends a command.
 * @param {object} given
 * @param {string} given.name of the form and its subject; the idempotency key is stored under it
 * @param {string} [given.title]
 * @param {string} [given.lead]
 * @param {(import("./fields.js").FieldGiven|any)[]} given.fields descriptions, or fields that are built already
 * @param {string} given.submit label of the button
 * @param {boolean} [given.isSecret] stores nothing in the browser
 * @param {boolean} [given.keepsDraft] stores a draft until the form is sent
 * @param {(values: Record<string, any>, key: string) => Promise<any>} given.send
 * @param {(answer: any, values: Record<string, any>) => any} given.done called after success
 * @param {(controls: Record<string, HTMLElement>) => void} [given.prepare] connects controls with each other
 * @returns {HTMLFormElement}
 */
export function form({
    name, title, lead, fields: given, submit, isSecret = false, keepsDraft = false, send, done, prepare,
}) {
    const fields = given.map((one) => (one.element ? one : new Field(one)));
    const idempotency = new IdempotencyKey(name, { isSecret });
    const heading = title ? h("h2.form-title", { id: freshID("form") }, title) : null;
    const problem = h("div.form-problem", { tabindex: "-1", role: "alert", hidden: true });
    const button = h("button.button", { type: "submit" }, submit);
    const element = h("form.form", { novalidate: true, "aria-labelledby": heading?.id, "data-form": name },
        heading, lead && h("p.quiet", null, lead), problem, fields.map((field) => field.element),
        h("div.form-end", null, button));
    if (keepsDraft) keepDraftOf(name, fields, element);
    prepare?.(Object.fromEntries(fields.map((field) => [field.name, field.control])));
    element.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (button.getAttribute("aria-busy") === "true") return;
        show(problem, null);
        const wrong = fields.filter((field) => !field.check());
        if (wrong.length > 0) {
            wrong[0].control.focus();
            return;
        }
        // A field may have further members of the body, such as the small copy of a picture.
        const values = Object.assign({}, ...fields.map((field) => ({ [field.name]: field.value, ...field.more })));
        await whileBusy(button, submit, async () => {
            try {
                const answer = await send(values, await idempotency.keyFor(values));
                idempotency.reset();
                if (keepsDraft) deleteDraft(name);
                await done(answer, values);
            } catch (error) {
                if (error instanceof Problem) idempotency.reset();
                reportError(error, fields, problem);
            }
        });
    });
    return element;
}

function keepDraftOf(name, fields, element) {
    const before = Object.fromEntries(fields.map((field) => [field.name, field.draft]));
    if (restoreDraft(name, fields)) {
        const startOver = h("button.link", { type: "button", onclick: () => {
            deleteDraft(name);
            note.remove();
            for (const field of fields) field.draft = before[field.name];
        } }, t`Start over`);
        const note = h("p.note.draft-note", { role: "status" }, t`Your unsent entries were restored. `, startOver);
        element.prepend(note);
    }
    element.addEventListener("input", () => saveDraft(name, fields));
}

/**
 * Returns a button that sends a command.
 * @param {object} given
 * @param {string} given.name of the command; the idempotency key is stored under it
 * @param {string} given.label
 * @param {string} [given.icon]
 * @param {string} [given.kind] `button-quiet`, `button-danger`
 * @param {(key: string) => Promise<any>} given.send
 * @param {(answer: any) => any} given.done
 * @returns {HTMLElement} the button and its error message
 */
export function action({ name, label, icon: drawing, kind, send, done }) {
    const idempotency = new IdempotencyKey(name);
    const problem = h("div.form-problem", { tabindex: "-1", role: "alert", hidden: true });
    const button = h("button.button", { type: "button" }, drawing && icon(drawing), h("span", null, label));
    if (kind) button.classList.add(kind);
    button.addEventListener("click", async () => {
        if (button.getAttribute("aria-busy") === "true") return;
        show(problem, null);
        await whileBusy(button.querySelector("span"), label, async () => {
            try {
                const answer = await send(await idempotency.keyFor(name));
                idempotency.reset();
                await done(answer);
            } catch (error) {
                if (error instanceof Problem) idempotency.reset();
                reportError(error, [], problem);
            }
        }, button);
    });
    return h("div.action", { "data-action": name }, problem, button);
}

/** Shows an error beside the field that it concerns, or above the form. */
function reportError(error, fields, problem) {
    if (!(error instanceof Problem) && !(error instanceof NoResponse)) {
        show(problem, t`Something went wrong on this page. Reload it; nothing that was saved is lost.`);
        console.error(error);
        return;
    }
    const about = error instanceof Problem ? error.about : null;
    const field = fields.find((one) => one.name === about?.field);
    // Times in the error are shown in the zone of the form's datetime field.
    const zone = fields.find((one) => one.zone)?.zone;
    if (field) {
        field.showError(sentence(withTimesOf(about.text, zone)));
        field.control.focus();
    } else {
        show(problem, withTimesOf(error.message, zone), error instanceof NoResponse ? "offline" : "warning");
    }
}

function show(problem, text, drawing = "warning") {
    problem.hidden = text === null;
    fill(problem, text !== null && [icon(drawing), h("p", null, text)]);
    if (text !== null) problem.focus();
}

async function whileBusy(label, text, body, button = label) {
    button.setAttribute("aria-busy", "true");
    label.textContent = t`One moment …`;
    try {
        await body();
    } finally {
        button.removeAttribute("aria-busy");
        label.textContent = text;
    }
}

function sentence(text) {
    return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
