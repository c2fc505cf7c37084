/** Which products a person does not want to see: what they avoid, and what is not of their diet. Pure. */

/**
 * Returns why a product is not shown; null if it is. What the farm has not declared is shown, with a mark.
 * @param {any} product @param {import("./preferences.js").Preferences} preferences
 * @returns {{avoided: string[], diet: boolean}|null}
 */
export function unwanted({ contents }, { avoid, diet }) {
    if (!contents) return null;
    const avoided = contents.allergens.filter((one) => avoid.includes(one));
    const isOther = diet === "vegan" ? ["vegetarian", "neither"].includes(contents.diet)
        : diet === "vegetarian" && contents.diet === "neither";
    return avoided.length > 0 || isOther ? { avoided, diet: isOther } : null;
}
