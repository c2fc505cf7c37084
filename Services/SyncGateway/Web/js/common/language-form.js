/** The form that chooses the language of the pages, for staff and buyers. */
import { command } from "./api.js";
import { form } from "./form.js";
import { choose, language, languageChoices, t } from "./language.js";

/**
 * Returns the form. The choice of a person who is signed in is the account's, and so holds on all devices.
 * @param {boolean} isSignedIn
 */
export function languageForm(isSignedIn) {
    return form({
        name: "set-language", title: t`Language`, submit: t`Save`,
        fields: [{ name: "language", label: t`Language of these pages`, type: "select", required: true,
            value: language, options: languageChoices }],
        send: async (values, key) => {
            if (isSignedIn) await command("PUT", "/v1/me/language", values, key);
        },
        done: (_answer, values) => {
            if (choose(values.language)) location.reload();
        },
    });
}
