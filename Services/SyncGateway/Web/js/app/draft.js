/** What somebody has typed into a form and not sent yet: kept over reloads, closed tabs and days without a network. */
const prefix = "furrow-draft ";

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
        localStorage.setItem(prefix + name, JSON.stringify(draft));
    } catch {
        // Storage is off or full: what was typed lasts as long as the page.
    }
}

/** @param {string} name */
export function forgetDraft(name) {
    try {
        localStorage.removeItem(prefix + name);
    } catch {
        // Nothing was kept.
    }
}

function read(name) {
    try {
        return JSON.parse(localStorage.getItem(prefix + name) ?? "null");
    } catch {
        return null;
    }
}
