/** The form that chooses the language and the units of the pages, for staff and buyers. */
import { command } from "./api.js";
import { form } from "./form.js";
import { choose, language, languageChoices, t } from "./language.js";
import { chooseUnits, units } from "./units.js";

/**
 * Returns the form. The language of a person who is signed in is the account's, and so holds on all devices; the units
 * hold in this browser.
 * @param {boolean} isSignedIn
 */
export function languageForm(isSignedIn) {
    return form({
        name: "set-language", title: t`Language and units`, submit: t`Save`,
        fields: [{ name: "language", label: t`Language of these pages`, type: "select", required: true,
            value: language, options: languageChoices },
        { name: "units", label: t`Units of measurement`, type: "select", required: true, value: units,
            options: [["metric", t`°C, kg, hectares`], ["us", t`°F, pounds, acres`]],
            hint: t`They hold on this device. Values are entered in °C, kg and so on.` }],
        send: async ({ language: chosen }, key) => {
            if (isSignedIn) await command("PUT", "/v1/me/language", { language: chosen }, key);
        },
        done: (_answer, values) => {
            const isOther = [choose(values.language), chooseUnits(values.units)];
            if (isOther.includes(true)) location.reload();
        },
    });
}
