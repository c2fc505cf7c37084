/** The set-up page: a one-time link creates the first administrator. */
import { command, get } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";

/** Returns the page. @param {{entered: (account: any) => Promise<void>}} context */
export async function show({ entered }) {
    const token = location.hash.slice(1);
    const welcome = head(t`Welcome to Furrow`,
        t`You will be the administrator. You create the farm and add the other staff.`);
    const next = token === ""
        ? nothingYet("info", t`This address is incomplete. Open the whole set-up link that the server printed.`)
        : h("div.card", null, setUp(token, entered));
    return { title: t`Set up`, name: "setup", content: [welcome, next] };
}

function setUp(token, entered) {
    return form({
        name: "setup", title: t`Your account`, submit: t`Create account`, isSecret: true,
        fields: [
            { name: "name", label: t`Your name`, required: true, attributes: { autocomplete: "name", maxlength: 200 } },
            { name: "email", label: t`E-mail`, type: "email", required: true,
                attributes: { autocomplete: "username" } },
            { name: "password", label: t`Password`, type: "password", required: true,
                hint: t`At least 10 characters. Several words in a row make a good password.`,
                attributes: { autocomplete: "new-password", minlength: 10 } },
        ],
        send: (values, key) => command("POST", "/v1/setup", { token, ...values }, key),
        done: async () => entered(await get("/v1/me")),
    });
}
