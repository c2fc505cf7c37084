/** Recorded radio traffic: a capture file is decoded, and its values are recorded at the times of their packets. */
import { command } from "../common/api.js";
import { fill, freshID, h } from "../common/dom.js";
import { counted } from "../common/format.js";
import { IdempotencyKey } from "../common/idempotency.js";
import { t } from "../common/language.js";

const Limits = { fileBytes: 512 << 10 };

/** Returns the field for a capture file. @param {import("./main.js").Context} context */
export function captureFile(context) {
    const id = freshID("capture-file");
    const view = h("div", { "aria-live": "polite" });
    const control = h("input",
        { type: "file", id, accept: ".pcap,.btsnoop,.log,.cfa", "aria-describedby": `${id}-hint` });
    const idempotency = new IdempotencyKey("capture-file");
    control.addEventListener("change", async () => {
        const file = control.files[0];
        if (!file) return;
        if (file.size > Limits.fileBytes) {
            fill(view, h("p.note", null, t`The file is too large: 512 kB at most.`));
            return;
        }
        fill(view, h("p.quiet", null, t`One moment …`));
        try {
            const key = await idempotency.keyFor({ name: file.name, size: file.size, changed: file.lastModified });
            const found = await command("POST", "/v1/captures", file, key);
            idempotency.reset();
            await context.refresh();
            context.announce(summary(found));
        } catch (error) {
            fill(view, h("p.note", null, error.message));
        }
        control.value = "";
    });
    return h("div.field", null, h("label", { for: id }, t`Read a capture file`),
        h("p.hint", { id: `${id}-hint` }, t`Recorded Bluetooth or ZigBee traffic, as pcap or btsnoop. Values are
            recorded at the times of their packets; those that are known already count once.`),
        control, view);
}

function summary({ measurements, known, unreadable, encrypted }) {
    const parts = [t`${counted(measurements, t`new report`)}, ${known} known before`];
    if (encrypted > 0) parts.push(t`${counted(encrypted, "packet")} encrypted with a key that is not known here`);
    if (unreadable > 0) parts.push(t`${counted(unreadable, "packet")} not readable`);
    return `${parts.join("; ")}.`;
}
