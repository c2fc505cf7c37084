/**
 * Drafts of forms that are not sent yet (local storage, per person). A draft survives reloads, closed tabs and an
 * expired session. It is deleted when the form is sent or the person signs out.
 */
import { readCache } from "./cache.js";

const prefix = "furrow-draft ";
const place = (name) => `${prefix}${readCache("me")?.person ?? ""} ${name}`;

/** Fills a form from its draft. @param {string} name @param {any[]} fields @returns {boolean} whether there was one */
export function restoreDraft(name, fields) {
    const draft = read(name);
    if (draft === null) return false;
    for (const field of fields) {
        if (Object.hasOwn(draft, field.name)) field.draft = draft[field.name];
    }
    return true;
}

/** Stores the draft of a form. @param {string} name @param {any[]} fields */
export function saveDraft(name, fields) {
    try {
        const draft = Object.fromEntries(fields.map((field) => [field.name, field.draft]));
        localStorage.setItem(place(name), JSON.stringify(draft));
    } catch {
        // Storage is off or full: there is no draft.
    }
}

/** Deletes the draft of a form. @param {string} name */
export function deleteDraft(name) {
    try {
        localStorage.removeItem(place(name));
    } catch {
        // Storage is off: there is no draft.
    }
}

/** Deletes all drafts, at sign-out. */
export function deleteDrafts() {
    try {
        for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            localStorage.removeItem(name);
        }
    } catch {
        // Storage is off: there are no drafts.
    }
}

function read(name) {
    try {
        return JSON.parse(localStorage.getItem(place(name)) ?? "null");
    } catch {
        return null;
    }
}
