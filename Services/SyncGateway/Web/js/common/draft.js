/**
 * What somebody has typed into a form and not sent yet: kept over reloads, closed tabs, days without a network and a
 * session that ran out, until they sign out. Nobody else sees it.
 */
import { recall } from "./cache.js";

const prefix = "furrow-draft ";
const place = (name) => `${prefix}${recall("me")?.person ?? ""} ${name}`;

/** @param {string} name of the form @param {any[]} fields @returns {boolean} whether something was there */
export function restoreDraft(name, fields) {
    const draft = read(name);
    if (draft === null) return false;
    for (const field of fields) {
        if (Object.hasOwn(draft, field.name)) field.draft = draft[field.name];
    }
    return true;
}

/** @param {string} name @param {any[]} fields */
export function keepDraft(name, fields) {
    try {
        const draft = Object.fromEntries(fields.map((field) => [field.name, field.draft]));
        localStorage.setItem(place(name), JSON.stringify(draft));
    } catch {
        // Storage is off or full: what was typed lasts as long as the page.
    }
}

/** @param {string} name */
export function forgetDraft(name) {
    try {
        localStorage.removeItem(place(name));
    } catch {
        // Nothing was kept.
    }
}

/** Somebody signs out. */
export function forgetDrafts() {
    try {
        for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            localStorage.removeItem(name);
        }
    } catch {
        // Where storage is off nothing was kept.
    }
}

function read(name) {
    try {
        return JSON.parse(localStorage.getItem(place(name)) ?? "null");
    } catch {
        return null;
    }
}
