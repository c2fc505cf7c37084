/** The set-up page: a one-time link creates the first administrator. */
import { command, get } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { head, nothingYet } from "../../common/parts.js";

/** Returns the page. @param {{entered: (account: any) => Promise<void>}} context */
export async function show({ entered }) {
    const token = location.hash.slice(1);
    const welcome = head("Welcome to Furrow",
        "You will be the administrator. You create the farm and add the other staff.");
    const next = token === ""
        ? nothingYet("info", "This address is incomplete. Open the whole set-up link that the server printed.")
        : h("div.card", null, setUp(token, entered));
    return { title: "Set up", name: "setup", content: [welcome, next] };
}

function setUp(token, entered) {
    return form({
        name: "setup", title: "Your account", submit: "Create account", isSecret: true,
        fields: [
            { name: "name", label: "Your name", required: true, attributes: { autocomplete: "name", maxlength: 200 } },
            { name: "email", label: "E-mail", type: "email", required: true, attributes: { autocomplete: "username" } },
            { name: "password", label: "Password", type: "password", required: true,
                hint: "At least 10 characters. Several words in a row make a good password.",
                attributes: { autocomplete: "new-password", minlength: 10 } },
        ],
        send: (values, key) => command("POST", "/v1/setup", { token, ...values }, key),
        done: async () => entered(await get("/v1/me")),
    });
}
