/** What products contain: allergens by Regulation (EU) No 1169/2011, annex II, and diets. */

/**
 * The allergens' names in the API, with those for people.
 * @type {[string, string][]}
 */
export const allergens = [
    ["gluten", "Cereals with gluten"], ["crustaceans", "Crustaceans"], ["eggs", "Eggs"], ["fish", "Fish"],
    ["peanuts", "Peanuts"], ["soya", "Soya"], ["milk", "Milk"], ["nuts", "Nuts"], ["celery", "Celery"],
    ["mustard", "Mustard"], ["sesame", "Sesame"], ["sulphites", "Sulphites"], ["lupin", "Lupin"],
    ["molluscs", "Molluscs"],
];

/** @type {[string, string][]} */
export const diets = [["vegan", "Vegan"], ["vegetarian", "Vegetarian"], ["neither", "With meat or fish"]];

/** Returns what a farm declares of a product. @param {{allergens: string[], diet?: string}|undefined} contents */
export function contentsSentence(contents) {
    if (!contents) return "The farm has not declared allergens: ask it if you have to know.";
    const names = new Map(allergens);
    const listed = contents.allergens.map((one) => (names.get(one) ?? one).toLowerCase());
    const diet = new Map(diets).get(contents.diet ?? "");
    return (listed.length > 0 ? `Contains ${listed.join(", ")}.`
        : "Contains none of the 14 allergens that have to be declared.") + (diet ? ` ${diet}.` : "");
}
