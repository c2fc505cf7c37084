/** The fields of a product, for creating and changing it. */
import { Choices } from "../../common/choices.js";
import { allergens, diets } from "../../common/contents.js";
import { t } from "../../common/language.js";
import { PictureField } from "../picture-field.js";

/** Returns the fields. @param {any} product its current values; empty for a new one @returns {any[]} */
export function productFields(product) {
    return [
        { name: "title", label: t`Name`, required: true, value: product.title, hint: t`Shown to buyers.`,
            attributes: { maxlength: 120 } },
        { name: "unit", label: t`Unit`, required: true, value: product.unit,
            hint: t`a box of 2 kg, a bunch, a jar of 500 g`, attributes: { maxlength: 60 } },
        { name: "category", label: t`Category`, value: product.category, hint: t`fruit, roots, leaves, pantry …`,
            attributes: { maxlength: 40 } },
        { name: "description", label: t`Description`, type: "textarea", value: product.description,
            attributes: { maxlength: 1500, rows: 3 } },
        { name: "declared", label: t`Allergens`, type: "select", value: product.contents ? "yes" : "",
            options: [["", t`Not declared`], ["yes", t`Declared below`]] },
        new Choices({ name: "allergens", label: t`It contains`, options: allergens,
            hint: t`Declared and none ticked: it contains none of these.`, value: product.contents?.allergens ?? [] }),
        { name: "diet", label: t`Diet`, type: "select", value: product.contents?.diet ?? "",
            options: [["", t`Not declared`], ...diets] },
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
export function pictureFields(thing, example = t`Six ripe tomatoes in a wooden box.`) {
    return [
        new PictureField({ name: "picture", label: t`Picture`, value: thing.picture, thumbnail: thing.thumbnail }),
        { name: "alt", label: t`What the picture shows`, value: thing.alt,
            hint: t`For people who cannot see it: ${example}`,
            attributes: { maxlength: 200 } },
    ];
}
