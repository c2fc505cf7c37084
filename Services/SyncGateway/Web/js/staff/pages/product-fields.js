/** The questions about a product, for listing and for changing it. */
import { PictureField } from "../picture-field.js";

/** @param {any} product as it is; empty for a new one @returns {any[]} */
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
        ...pictureFields(product),
    ];
}

/**
 * @param {any} thing that may have a picture
 * @param {string} [example] of what a picture shows
 * @returns {any[]}
 */
export function pictureFields(thing, example = "Six ripe tomatoes in a wooden box.") {
    return [
        new PictureField({ name: "picture", label: "Picture", value: thing.picture }),
        { name: "alt", label: "What the picture shows", value: thing.alt,
            hint: `For people who cannot see it: ${example}`,
            attributes: { maxlength: 200 } },
    ];
}
