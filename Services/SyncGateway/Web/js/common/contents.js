/** What products contain: allergens by Regulation (EU) No 1169/2011, annex II, and diets. */
import { inSentence, t } from "./language.js";

/**
 * The allergens' names in the API, with those for people.
 * @type {[string, string][]}
 */
export const allergens = [
    ["gluten", t`Cereals with gluten`], ["crustaceans", t`Crustaceans`], ["eggs", t`Eggs`], ["fish", t`Fish`],
    ["peanuts", t`Peanuts`], ["soya", t`Soya`], ["milk", t`Milk`], ["nuts", t`Nuts`], ["celery", t`Celery`],
    ["mustard", t`Mustard`], ["sesame", t`Sesame`], ["sulphites", t`Sulphites`], ["lupin", t`Lupin`],
    ["molluscs", t`Molluscs`],
];

/** @type {[string, string][]} */
export const diets = [["vegan", t`Vegan`], ["vegetarian", t`Vegetarian`], ["neither", t`With meat or fish`]];

/** Returns what a farm declares of a product. @param {{allergens: string[], diet?: string}|undefined} contents */
export function contentsSentence(contents) {
    if (!contents) return t`The farm has not declared allergens: ask it if you have to know.`;
    const names = new Map(allergens);
    const listed = contents.allergens.map((one) => inSentence(names.get(one) ?? one));
    const diet = new Map(diets).get(contents.diet ?? "");
    return (listed.length > 0 ? t`Contains ${listed.join(", ")}.`
        : t`Contains none of the 14 allergens that have to be declared.`) + (diet ? ` ${diet}.` : "");
}
