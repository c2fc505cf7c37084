/**
 * Forms that say what is wrong where it is wrong, send once, and keep what was typed until the server has answered.
 */
import { NoAnswer, Problem } from "./api.js";
import { fill, freshID, h } from "./dom.js";
import { forgetDraft, keepDraft, restoreDraft } from "./draft.js";
import { Field } from "./fields.js";
import { withTimesOf } from "./format.js";
import { icon } from "./icons.js";
import { Intention } from "./idempotency.js";

/**
 * @param {object} given
 * @param {string} given.name of the form, and of what it is about: one intention at a time
 * @param {string} [given.title] above it
 * @param {string} [given.lead]
 * @param {(import("./fields.js").FieldGiven|any)[]} given.fields those that have an element are fields already
 * @param {string} given.submit on the button
 * @param {boolean} [given.isSecret] nothing about it stays in the browser
 * @param {boolean} [given.keepsDraft] what is typed stays until it is sent, over reloads and closed tabs
 * @param {(values: Record<string, any>, key: string) => Promise<any>} given.send
 * @param {(answer: any, values: Record<string, any>) => any} given.done after the server has said yes
 * @param {(controls: Record<string, HTMLElement>) => void} [given.prepare] ties controls to each other
 * @returns {HTMLFormElement}
 */
export function form({
    name, title, lead, fields: given, submit, isSecret = false, keepsDraft = false, send, done, prepare,
}) {
    const fields = given.map((one) => (one.element ? one : new Field(one)));
    const intention = new Intention(name, { isSecret });
    const heading = title ? h("h2.form-title", { id: freshID("form") }, title) : null;
    const problem = h("div.form-problem", { tabindex: "-1", role: "alert", hidden: true });
    const button = h("button.button", { type: "submit" }, submit);
    const element = h("form.form", { novalidate: true, "aria-labelledby": heading?.id, "data-form": name },
        heading, lead && h("p.quiet", null, lead), problem, fields.map((field) => field.element),
        h("div.form-end", null, button));
    if (keepsDraft) rememberTyping(name, fields, element);
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
        const values = Object.fromEntries(fields.map((field) => [field.name, field.value]));
        await busily(button, submit, async () => {
            try {
                const answer = await send(values, await intention.keyFor(values));
                intention.answered();
                if (keepsDraft) forgetDraft(name);
                await done(answer, values);
            } catch (error) {
                if (error instanceof Problem) intention.answered();
                tell(error, fields, problem);
            }
        });
    });
    return element;
}

function rememberTyping(name, fields, element) {
    const before = Object.fromEntries(fields.map((field) => [field.name, field.draft]));
    if (restoreDraft(name, fields)) {
        const anew = h("button.link", { type: "button", onclick: () => {
            forgetDraft(name);
            note.remove();
            for (const field of fields) field.draft = before[field.name];
        } }, "Start over");
        const note = h("p.note.draft-note", { role: "status" }, "Your unsent entries were restored. ", anew);
        element.prepend(note);
    }
    element.addEventListener("input", () => keepDraft(name, fields));
}

/**
 * A button that does one thing, once.
 * @param {object} given
 * @param {string} given.name of the intention
 * @param {string} given.label
 * @param {string} [given.icon]
 * @param {string} [given.kind] `button-quiet`, `button-danger`
 * @param {(key: string) => Promise<any>} given.send
 * @param {(answer: any) => any} given.done
 * @returns {HTMLElement} the button and the place for what goes wrong
 */
export function action({ name, label, icon: drawing, kind, send, done }) {
    const intention = new Intention(name);
    const problem = h("div.form-problem", { tabindex: "-1", role: "alert", hidden: true });
    const button = h("button.button", { type: "button" }, drawing && icon(drawing), h("span", null, label));
    if (kind) button.classList.add(kind);
    button.addEventListener("click", async () => {
        if (button.getAttribute("aria-busy") === "true") return;
        show(problem, null);
        await busily(button.querySelector("span"), label, async () => {
            try {
                const answer = await send(await intention.keyFor(name));
                intention.answered();
                await done(answer);
            } catch (error) {
                if (error instanceof Problem) intention.answered();
                tell(error, [], problem);
            }
        }, button);
    });
    return h("div.action", { "data-action": name }, problem, button);
}

/** Says what went wrong: beside the field it is about, or on top. */
function tell(error, fields, problem) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) {
        show(problem, "Something went wrong on this page. Reload it; nothing that was saved is lost.");
        console.error(error);
        return;
    }
    const about = error instanceof Problem ? error.about : null;
    const field = fields.find((one) => one.name === about?.field);
    // A form that asks for a time asks for that of its farm.
    const zone = fields.find((one) => one.zone)?.zone;
    if (field) {
        field.fault(sentence(withTimesOf(about.text, zone)));
        field.control.focus();
    } else {
        show(problem, withTimesOf(error.message, zone), error instanceof NoAnswer ? "offline" : "warning");
    }
}

function show(problem, text, drawing = "warning") {
    problem.hidden = text === null;
    fill(problem, text !== null && [icon(drawing), h("p", null, text)]);
    if (text !== null) problem.focus();
}

async function busily(label, text, body, button = label) {
    button.setAttribute("aria-busy", "true");
    label.textContent = "One moment …";
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
