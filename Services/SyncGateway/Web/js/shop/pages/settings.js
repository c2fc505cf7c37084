/** The settings page: account, device, contact details, data export and deletion. */
import { deviceList, passwordForm } from "../../common/access.js";
import { command, get, Problem } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { counted, dayAndClock } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { languageForm } from "../../common/language-form.js";
import { t } from "../../common/language.js";
import { deleteEverything, readValue } from "../../common/storage.js";
import { notifiedDevices } from "../../common/push.js";
import { go } from "../address.js";
import { entriesOf, outbox } from "../outbox.js";
import { loadPreferences } from "../preferences.js";
import { preferencesForm } from "../preferences-form.js";
import { keepsPages, withoutSecurity } from "../secure.js";
import { deletePersonalData, startOver } from "../sync.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const [pulled, failed, pending, preferences, contact, sessions, channels] = await Promise.all([
        readValue("pulled"), readValue("failed"), outbox(), loadPreferences(), context.me && storedContact(context),
        context.me && devices(context), context.me && own("/v1/me/channels", context)]);
    // The person may have signed out during these requests.
    const { me } = context;
    return {
        title: t`Settings`, name: "settings", dependsOnConnection: true,
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Settings`)),
            h("div.columns", null,
                h("section.card", null, h("h2", null, t`You`), me ? account(me, pending, context)
                    : [h("p", null, t`You are not signed in on this device.`),
                        h("p", null, h("a.button", { href: "/sign-in" }, t`Sign in or create an account`))]),
                h("section.card", null, h("h2", null, t`This device`), device(catalog, pulled, failed, context))),
            h("section.card.block", { id: "language" }, languageForm(Boolean(me))),
            h("section.card.block", { id: "preferences" }, preferencesForm(preferences, catalog, context)),
            me && channels && h("section.card.block", { id: "notifications" }, notifications(channels, context)),
            me && h("div.columns.block", null,
                h("section.card", null, contactForm(me, contact, context)),
                h("section.card", null, h("h2", null, t`Your data`), ownData(me, context))),
            me && sessions && h("div.columns.block", null,
                h("section.card", null, passwordForm(() => {
                    context.say("check", t`Your password was changed.`);
                    return context.refresh();
                })),
                h("section.card", null, deviceList(sessions, () => context.refresh(), async () => {
                    await deletePersonalData();
                    context.sync();
                    go("/");
                }))),
        ],
    };
}

function account(me, pending, context) {
    const unsent = entriesOf(pending, me).filter((row) => row.table === "orders").length;
    return [
        h("p", null, h("strong", null, me.name)), h("p.quiet", null, me.email),
        unsent > 0 && h("p.note", null, t`${unsent === 1 ? t`An order is` : t`${unsent} orders are`} not sent yet.`),
        action({
            name: "sign out", label: t`Sign out`, kind: "button-quiet",
            send: async (key) => {
                try {
                    await command("DELETE", "/v1/sessions/current", null, key);
                } catch (error) {
                    // The session has ended already: only the data in this browser remains.
                    if (!(error instanceof Problem) || error.status !== 401) throw error;
                }
            },
            done: async () => {
                await deletePersonalData();
                context.sync();
                go("/");
            },
        }),
    ];
}

function device(catalog, pulled, failed, context) {
    const again = h("button.button.button-quiet", { type: "button", onclick: async () => {
        await startOver();
        await context.sync();
        await context.refresh();
    } }, t`Download everything again`);
    return [
        h("p", null, pulled ? t`Up to date as of ${dayAndClock(pulled.at)}.`
            : t`Everything is fetched as soon as there is a connection.`),
        h("p.quiet", null, t`${counted(catalog.farms.length, "farm")} and
            ${counted(catalog.products.length, "product")}`, " ",
        keepsPages ? t`can be viewed without a connection.` : t`are stored on this device.`),
        !keepsPages && h("p.note", { "data-insecure": "" }, icon("warning"), t` ${withoutSecurity} Your orders are
            saved on this device in any case, and sent when a page is open and there is a connection.`),
        failed?.failed > 0 && h("p.note", null, icon("warning"),
            t` ${counted(failed.failed, "record")} failed at the last update.`),
        h("p", null, again),
    ];
}

/** @returns {Promise<any>} the stored contact details; null if there is no response */
async function storedContact(context) {
    const all = await own("/v1/me/export", context);
    return all && (all.market?.contact ?? {});
}

/** @returns {Promise<any[]|null>} the person's sessions; null if there is no response */
async function devices(context) {
    return (await own("/v1/me/sessions", context))?.items ?? null;
}

/** @returns {Promise<any>} what the server knows of the person; null if there is no response */
async function own(path, context) {
    if (!context.isOnline()) return null;
    try {
        return await get(path);
    } catch {
        return null;
    }
}

function notifications(channels, context) {
    return [
        h("h2", null, t`Promotions on your devices`),
        h("p.quiet", null, t`A device is notified of promotions of the farms while no page is open, at most once a day,
            also while you are signed out, until it is removed here. What depends on where you are is shown in the
            shop only.`),
        notifiedDevices(context, channels, t`Promotions will be shown on this device.`),
        channels.items.length > 0 && form({
            name: "promotion-hours", title: t`When`, submit: t`Save`,
            lead: t`By the farm’s clock. At other times nothing is shown on your devices.`,
            fields: [
                { name: "from", label: t`From`, type: "time", required: true, value: channels.promotionHours.from },
                { name: "to", label: t`Until`, type: "time", required: true, value: channels.promotionHours.to }],
            send: (hours, key) => command("PUT", "/v1/me/promotion-hours", hours, key),
            done: () => context.announce(t`Saved.`),
        }),
    ];
}

/** Returns the form, or a note if the stored details are unknown: the form replaces all of them. */
function contactForm(me, contactNow, context) {
    if (contactNow === null) {
        return [h("h2", null, t`Contact details`),
            h("p.note", null, icon("offline"), t` They can be viewed and changed when the farm server answers.`)];
    }
    return form({
        name: "contact", title: t`Contact details`, submit: t`Save`,
        lead: t`Stored apart from every log, and deleted with your account.`,
        fields: [
            { name: "name", label: t`Name`, value: contactNow.name ?? me.name,
                attributes: { autocomplete: "name", maxlength: 190 } },
            { name: "telephone", label: t`Telephone`, value: contactNow.telephone,
                attributes: { autocomplete: "tel", maxlength: 40 } },
            { name: "address", label: t`Address`, value: contactNow.address,
                attributes: { autocomplete: "street-address", maxlength: 300 } },
        ],
        send: (values, key) => command("PUT", "/v1/me/contact", values, key),
        done: () => context.announce(t`Saved.`),
    });
}

function ownData({ person }, context) {
    const take = action({
        name: "take my data", label: t`Download my data`, kind: "button-quiet",
        send: () => get("/v1/me/export"), done: save,
    });
    const erase = action({
        name: "erase me", label: t`Delete my account and all my data`, kind: "button-danger",
        send: async (key) => {
            if (!confirm(t`This cannot be undone: your account, your name and your contact details are deleted.`)) {
                return { isCancelled: true };
            }
            return command("DELETE", "/v1/me", null, key);
        },
        done: async (answer) => {
            if (answer?.isCancelled) return;
            await deleteEverything(person);
            context.sync();
            go("/");
        },
    });
    return [
        h("p", null, t`Everything that the farm server stores about you, including your orders, as one file.`),
        take,
        h("p.block", null, t`Deletes account, name, address and telephone. Your orders stay in the log under a number
            that cannot be traced to you.`),
        erase,
    ];
}

/** Downloads the exported data as a file. @param {any} data */
function save(data) {
    const bytes = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
    const address = URL.createObjectURL(bytes);
    const link = h("a", { href: address, download: "my-furrow-data.json" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
