/** A backup of a ZigBee network: a file to keep, and a field that gives the network to another coordinator. */
import { command, get, Problem } from "../common/api.js";
import { freshID, h } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { t } from "../common/language.js";

const Limits = { pollMilliseconds: 500, polls: 120, bytes: 400_000 };

/** Returns the button that saves a backup. @param {import("./main.js").Context} context @param {any} coordinator */
export function backUp(context, { source, panId }) {
    return h("div", null,
        h("p.quiet", null, t`A backup lets another coordinator take over this network; no sensor has to join again.
            Make one after sensors have joined, and keep it safe: it contains the key of the network.`),
        action({
            name: `back-up-coordinator ${source}`, label: t`Save a backup`, kind: "button-quiet",
            send: async (key) => {
                await command("POST", "/v1/coordinators/backups", { source }, key);
                return finished(source);
            },
            done: (backup) => {
                save(backup, `zigbee-network-${panId ?? "backup"}.json`);
                context.announce(t`The backup was saved as a file.`);
            },
        }));
}

/** Waits until the backup is read. @param {string} source */
async function finished(source) {
    for (let poll = 0; poll < Limits.polls; poll += 1) {
        const { state, backup } = await get(`/v1/coordinators/backup?source=${encodeURIComponent(source)}`);
        if (state === "ready") return backup;
        await new Promise((resolve) => setTimeout(resolve, Limits.pollMilliseconds));
    }
    throw new Problem(504, { title: "no-backup", detail: t`The coordinator takes too long. Try again.` });
}

function save(backup, name) {
    const file = new Blob([JSON.stringify(backup, null, 2)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
}

/**
 * Returns the form that gives a coordinator the network of a backup.
 * @param {string} source @param {string} [replaced] the number of the present network
 */
export function restore(source, replaced) {
    const number = { name: "replaces", label: t`Number of the present network`, required: true,
        hint: t`It is erased. Enter ${replaced} to confirm.`,
        attributes: { maxlength: 8, autocomplete: "off", spellcheck: "false" } };
    return form({
        name: `restore-coordinator ${source}`, submit: t`Restore network`, isSecret: true,
        lead: t`Unplug the former coordinator first: two with the same network disturb each other.`,
        fields: [new BackupField(), ...(replaced ? [number] : [])],
        send: ({ backup, replaces }, key) => command("POST", "/v1/coordinators/restorations",
            { source, backup, ...(replaces ? { replaces: replaces.trim().toLowerCase() } : {}) }, key),
        done: () => {},
    });
}

/** A field whose value is the content of a backup file. */
class BackupField {
    name = "backup";
    /** @type {any} */
    value = undefined;
    /** Nothing of it is stored: it contains a key. */
    draft = "";

    constructor() {
        const id = freshID("backup");
        this.error = h("p.field-error", { id: `${id}-error`, hidden: true });
        this.control = h("input", { type: "file", id, accept: ".json,application/json",
            "aria-describedby": `${id}-hint ${id}-error` });
        this.control.addEventListener("change", () => this.take(this.control.files[0]));
        this.element = h("div.field", { "data-field": "backup" }, h("label", { for: id }, t`Backup file`),
            h("p.hint", { id: `${id}-hint` },
                t`Of this page, of zigbee2mqtt (coordinator_backup.json) or of Home Assistant.`),
            this.control, this.error);
    }

    check() {
        if (this.value === undefined) this.showError(t`Choose the file of a backup.`);
        return this.value !== undefined;
    }

    showError(text) {
        this.error.hidden = text === null;
        this.error.textContent = text ?? "";
    }

    async take(file) {
        this.value = undefined;
        this.showError(null);
        if (!file) return;
        try {
            if (file.size > Limits.bytes) throw new SyntaxError(t`too large`);
            this.value = JSON.parse(await file.text());
        } catch {
            this.showError(t`This file is no backup: it is not JSON.`);
        }
    }
}
