/** The page for visitors who are not signed in: an introduction and the sign-in form. */
import { command, get } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";

/** Returns the page. @param {{entered: (account: any) => Promise<void>}} context */
export async function show({ entered }) {
    const welcome = h("section.welcome", null,
        h("h1", { tabindex: "-1" }, t`From the field to the box, recorded and provable`),
        h("p", null, t`Furrow records what a farm measures and does, from sowing to the hand-over, in a signed log
            that every buyer’s phone can check.`),
        h("p.welcome-buyer", null, icon("info"), h("span", null, t`You have a box from a farm? Scan the code on it
            with your phone’s camera: it shows the story of that box.`)));
    const signIn = form({
        name: "sign-in", title: t`Sign in`, lead: t`For farm staff.`, submit: t`Sign in`, isSecret: true,
        fields: [
            { name: "email", label: t`E-mail`, type: "email", required: true,
                attributes: { autocomplete: "username" } },
            { name: "password", label: t`Password`, type: "password", required: true,
                attributes: { autocomplete: "current-password" } },
        ],
        send: (values, key) => command("POST", "/v1/sessions", values, key),
        done: async () => entered(await get("/v1/me")),
    });
    const content = h("div.entrance", null, welcome, h("div.card", null, signIn,
        h("p", null, h("a", { href: "/forgot" }, t`Forgot your password?`))));
    return { title: t`Sign in`, name: "sign-in", content };
}
