/** A person's preferences, which stay in this browser. */
import { notifyChange, readValue, saveValue } from "../common/storage.js";

const name = "preferences";

/**
 * @typedef {object} Preferences
 * @property {string[]} kinds the categories that the person likes
 * @property {string[]} avoid the allergens that the person avoids
 * @property {string} diet `vegan`, `vegetarian` or empty
 * @property {string} county empty if none is chosen
 * @property {boolean} promotions whether promotions are shown
 * @property {boolean} views whether the farm server may note what the person looks at
 * @property {boolean} position whether this device may use its position for promotions nearby
 */

/** @returns {Promise<Preferences>} */
export async function loadPreferences() {
    const usual = {
        kinds: [], avoid: [], diet: "", county: "", promotions: true, position: false, views: false,
    };
    return { ...usual, ...(await readValue(name)) };
}

/** @param {Preferences} preferences */
export async function savePreferences(preferences) {
    await saveValue(name, preferences);
    notifyChange("preferences");
}
