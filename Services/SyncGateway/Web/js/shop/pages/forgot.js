/** The page that requests a link for a new password. */
import { command } from "../../common/api.js";
import { fill, h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";

/** Returns the page. */
export async function show() {
    const card = h("div.card", null, form({
        name: "forgot", title: t`Forgot your password?`, submit: t`Send me a link`, isSecret: true,
        lead: t`Enter the e-mail address of your account. You receive a link to choose a new password.`,
        fields: [{ name: "email", label: t`E-mail`, type: "email", required: true,
            attributes: { autocomplete: "username", maxlength: 250 } }],
        send: (values, key) => command("POST", "/v1/password-resets", values, key),
        done: ({ mail }) => fill(card, h("h2", { tabindex: "-1" }, mail ? t`Check your e-mail` : t`Ask the farm`),
            h("p", { role: "status" }, mail
                ? t`If there is an account with this address, an e-mail with a link is on its way. The link is valid
                    for one hour.`
                : t`This farm server sends no e-mail. The farm can create a link for you: furrow user reset`)),
    }));
    return { title: t`Forgot your password?`, name: "forgot",
        content: [h("div.head", null, h("h1", { tabindex: "-1" }, t`Forgot your password?`)), card] };
}
