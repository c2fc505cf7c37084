/** The language of the pages. Texts are written in English, and translated by a catalogue for each other language. */

/** The languages of the pages: code, name in itself, and the locale of its dates and numbers. */
const languages = [["en", "English", "en-GB"], ["de", "Deutsch", "de-DE"], ["es", "Español", "es-ES"]];

/** @returns {[string, string][]} options of a select */
export const languageChoices = languages.map(([code, name]) => [code, name]);

/** Where the browser stores the choice; it stays after sign-out, so that the page of sign-in is in this language. */
const storedUnder = "furrow-language";
/** How long a page waits for its catalogue; after that it is in English. */
const patienceMilliseconds = 8_000;
/** The service worker keeps catalogues here (`sw.js`). */
const cache = "furrow-library";

/** A page that is translated names its catalogue: `staff`, `shop`. */
const root = globalThis.document?.documentElement;
const page = root?.dataset.translated;
const chosen = page ? [stored(), ...(navigator.languages ?? []).map((one) => one.slice(0, 2))] : [];

/** The language of this page: the chosen one, else the first of the browser's that there is. */
export const [language, , locale] = chosen.map((one) => languages.find(([code]) => code === one))
    .find((one) => one !== undefined) ?? languages[0];

const address = language === "en" ? null : `/assets/languages/${page}.${language}.json`;
const texts = new Map(Object.entries(await catalogue()));

if (language !== "en") {
    root.lang = language;
    // What is in the page's file is marked.
    for (const element of document.querySelectorAll("[data-text]")) {
        element.textContent = translated(element.textContent.replace(/\s+/gu, " ").trim());
    }
}

/** Reads the catalogue; without one, the pages are in English. @returns {Promise<Record<string, string>>} */
async function catalogue() {
    if (address === null) return {};
    try {
        const response = await fetch(address, { signal: AbortSignal.timeout(patienceMilliseconds) });
        return response.ok ? await response.json() : {};
    } catch {
        return {};
    }
}

/** Caches the catalogue, for pages without a network. */
export async function cacheCatalogue() {
    if (address !== null) await (await caches.open(cache)).add(address);
}

/**
 * Returns a text in the person's language. A line break in it counts as a space.
 * @param {TemplateStringsArray} parts @param {...any} values
 * @returns {string}
 * @example t`Remove ${title}` // its key in a catalogue is `Remove {0}`
 */
export function t(parts, ...values) {
    const key = parts.map((part, number) => (number === 0 ? part : `{${number - 1}}${part}`)).join("")
        .replace(/\n\s*/gu, " ");
    return translated(key).replace(/\{(\d)\}/gu, (_, number) => String(values[number]));
}

/** Returns a word or text in the person's language; itself if the catalogue has none. @param {string} text */
export function translated(text) {
    return texts.get(text) ?? text;
}

/**
 * Returns a name as it is written within a sentence: in lower case, unless its language writes nouns in upper case.
 * @param {string} name
 */
export function inSentence(name) {
    return language === "de" ? name : name.toLowerCase();
}

/**
 * Stores the language for this browser.
 * @param {string} code
 * @returns {boolean} whether the page has to be loaded again to be in this language
 */
export function choose(code) {
    try {
        localStorage.setItem(storedUnder, code);
    } catch {
        // Without storage the pages stay in the browser's language.
        return false;
    }
    return code !== language && stored() === code;
}

function stored() {
    try {
        return localStorage.getItem(storedUnder);
    } catch {
        return null;
    }
}
