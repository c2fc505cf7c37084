/** The page where buyers sign in or create an account. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { replaceAddress } from "../address.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const next = async (account) => {
        await context.enter(account);
        await context.sync();
        replaceAddress("/sign-in", "/orders");
    };
    const email = { name: "email", label: t`E-mail`, type: "email", required: true,
        attributes: { autocomplete: "username", maxlength: 250 } };
    const signIn = form({
        name: "sign-in", title: t`Sign in`, submit: t`Sign in`, isSecret: true,
        fields: [email, { name: "password", label: t`Password`, type: "password", required: true,
            attributes: { autocomplete: "current-password" } }],
        send: (values, key) => command("POST", "/v1/sessions", values, key), done: next,
    });
    const forgot = h("p", null, h("a", { href: "/forgot" }, t`Forgot your password?`));
    const signUp = form({
        name: "sign-up", title: t`New here?`, lead: t`An account keeps your orders together on all your devices.`,
        submit: t`Create account`, isSecret: true,
        fields: [
            { name: "name", label: t`Your name`, required: true, attributes: { autocomplete: "name", maxlength: 200 } },
            email,
            { name: "password", label: t`Password`, type: "password", required: true,
                hint: t`At least 10 characters. Several words in a row make a good password.`,
                attributes: { autocomplete: "new-password", minlength: 10 } },
        ],
        send: async (values, key) => {
            const account = await command("POST", "/v1/buyers", values, key);
            // The staff sees this name when the order is collected.
            await command("PUT", "/v1/me/contact", { name: values.name }, `${key}.name`);
            return account;
        },
        done: next,
    });
    return {
        title: t`Sign in`, name: "sign-in",
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Sign in or create an account`),
                h("p.quiet", null, t`You can browse everything without an account.`)),
            h("div.columns", null, h("div.card", null, signIn, forgot), h("div.card", null, signUp)),
        ],
    };
}
