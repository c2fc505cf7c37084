/** The language of the pages. Texts are written in English, and translated by a catalogue for each other language. */

/** The languages of the pages: code, name in itself, and the locale of its dates and numbers. */
const languages = [["en", "English", "en-GB"], ["de", "Deutsch", "de-DE"], ["es", "Español", "es-ES"]];

/** @returns {[string, string][]} options of a select */
export const languageChoices = languages.map(([code, name]) => [code, name]);

/** Where the browser stores the choice; it stays after sign-out, so that the page of sign-in is in this language. */
const storedUnder = "furrow-language";
/** A page that is translated says so. */
const root = globalThis.document?.documentElement;
const chosen = root && "translated" in root.dataset ? stored() : null;

/** The language of this page. */
export const [language, , locale] = languages.find(([code]) => code === chosen) ?? languages[0];

if (root && language !== "en") root.lang = language;

const texts = new Map(Object.entries(await catalogue()));

/** Reads the catalogue; without one, the pages are in English. @returns {Promise<Record<string, string>>} */
async function catalogue() {
    if (language === "en") return {};
    try {
        const response = await fetch(`/assets/languages/${language}.json`);
        return response.ok ? await response.json() : {};
    } catch {
        return {};
    }
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
        // Without storage the pages stay in English.
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
