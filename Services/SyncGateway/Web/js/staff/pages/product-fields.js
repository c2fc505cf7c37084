/** The fields of a product, for creating and changing it. */
import { Choices } from "../../common/choices.js";
import { allergens, diets } from "../../common/contents.js";
import { PictureField } from "../picture-field.js";

/** Returns the fields. @param {any} product its current values; empty for a new one @returns {any[]} */
export function productFields(product) {
    return [
        { name: "title", label: "Name", required: true, value: product.title, hint: "Shown to buyers.",
            attributes: { maxlength: 120 } },
        { name: "unit", label: "Unit", required: true, value: product.unit,
            hint: "a box of 2 kg, a bunch, a jar of 500 g", attributes: { maxlength: 60 } },
        { name: "category", label: "Category", value: product.category, hint: "fruit, roots, leaves, pantry …",
            attributes: { maxlength: 40 } },
        { name: "description", label: "Description", type: "textarea", value: product.description,
            attributes: { maxlength: 1500, rows: 3 } },
        { name: "declared", label: "Allergens", type: "select", value: product.contents ? "yes" : "",
            options: [["", "Not declared"], ["yes", "Declared below"]] },
        new Choices({ name: "allergens", label: "It contains", options: allergens,
            hint: "Declared and none ticked: it contains none of these.", value: product.contents?.allergens ?? [] }),
        { name: "diet", label: "Diet", type: "select", value: product.contents?.diet ?? "",
            options: [["", "Not declared"], ...diets] },
        ...pictureFields(product),
    ];
}

/** Returns the request body of what was entered. @param {Record<string, any>} values those of `productFields` */
export function productBody(values) {
    const { declared, allergens: listed = [], diet, ...rest } = values;
    return declared ? { ...rest, contents: { allergens: listed, ...(diet && { diet }) } } : rest;
}

/**
 * Returns the fields of a picture and its text alternative.
 * @param {any} thing a product or a farm
 * @param {string} [example] of a text alternative
 * @returns {any[]}
 */
export function pictureFields(thing, example = "Six ripe tomatoes in a wooden box.") {
    return [
        new PictureField({ name: "picture", label: "Picture", value: thing.picture, thumbnail: thing.thumbnail }),
        { name: "alt", label: "What the picture shows", value: thing.alt,
            hint: `For people who cannot see it: ${example}`,
            attributes: { maxlength: 200 } },
    ];
}
