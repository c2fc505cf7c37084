/** Values that people read themselves: a form for one, and a CSV file with a preview. */
import { command, Problem } from "../common/api.js";
import { fill, freshID, h } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { counted, dayAndClock, measured, quantityName, quantityNames, unitOf } from "../common/format.js";
import { inSentence, t } from "../common/language.js";
import { toLocal } from "../common/zones.js";
import { parseReadings } from "./readings-file.js";

/** The most rows of one request, and the most lines of the preview. */
const Limits = { rows: 500, preview: 20, fileBytes: 4_000_000 };

/** @param {import("./main.js").Context} context @param {any[]} points the items of `/v1/points` @param {any} land */
export function manualReadings(context, points, land) {
    return h("details.fold.card", { id: "manual-readings" }, h("summary", null,
        t`Record values that you read yourself`),
        oneValue(context, points, land), fromFile(context, points, land));
}

function oneValue(context, points, land) {
    const zone = land.zone();
    return form({
        name: "record-reading", title: t`Record a value`, submit: t`Record value`,
        fields: [
            { name: "point", label: t`Measuring point`, type: "select", required: true,
                options: points.map(({ point, title }) => [point, title]) },
            { name: "quantity", label: t`What`, type: "select", required: true, options: quantityNames.map((name) =>
                [name, [quantityName(name), unitOf(name)].filter(Boolean).join(", ")]) },
            { name: "value", label: t`Value`, type: "number", required: true, attributes: { step: "any" } },
            { name: "at", label: t`When`, type: "datetime", required: true, zone, value: toLocal(Date.now(), zone) },
        ],
        send: async ({ point, at, quantity, value }, key) => {
            const body = { rows: [{ point, at, readings: [{ quantity, value }] }] };
            const { errors } = await command("POST", "/v1/manual-readings", body, key);
            if (errors.length > 0) throw new Problem(422, errors[0]);
        },
        done: () => {
            context.announce(t`The value was recorded.`);
            return context.refresh();
        },
    });
}

function fromFile(context, points, land) {
    const id = freshID("readings-file");
    const view = h("div", { "aria-live": "polite" });
    const control = h("input",
        { type: "file", id, accept: ".csv,text/csv,text/plain", "aria-describedby": `${id}-hint` });
    control.addEventListener("change", async () => {
        const file = control.files[0];
        if (!file) return;
        if (file.size > Limits.fileBytes) return fill(view, h("p.note", null, t`The file is too large: 4 MB at most.`));
        fill(view, h("p.quiet", null, t`One moment …`));
        try {
            await preview(context, view, parseReadings(await file.text(), points, land.zone()), points, land);
        } catch (error) {
            fill(view, h("p.note", null, error.message));
        }
        control.value = "";
    });
    return h("div.field", null, h("label", { for: id }, t`From a CSV file`),
        h("p.hint", { id: `${id}-hint` }, t`First line: time, point, temperature, humidity … Points by their names.
            You see what would be recorded first.`),
        control, view);
}

/** Shows what a file would record and its errors by line; nothing is recorded before the button is pressed. */
async function preview(context, view, { rows, errors }, points, land) {
    const checked = await checkedRows(rows);
    const wrong = [...errors, ...checked.errors].sort((one, other) => one.line - other.line);
    const right = checked.right;
    const titles = new Map(points.map(({ point, title }) => [point, title]));
    fill(view,
        h("p", null, t`${counted(right.length, "line")} can be recorded, ${counted(wrong.length, "line")} cannot.`),
        wrong.length > 0 && h("ul.rows", { role: "list", "data-errors": "" }, wrong.slice(0, Limits.preview).map(
            ({ line, detail }) => h("li", null, h("strong", null, t`Line ${line}: `), detail))),
        wrong.length > Limits.preview && h("p.quiet", null, t`And ${wrong.length - Limits.preview} more.`),
        right.length > 0 && h("ul.rows", { role: "list", "data-preview": "" }, right.slice(0, Limits.preview).map(
            ({ row }) => h("li", null, `${titles.get(row.point)}, ${dayAndClock(row.at, land.zone())}: `,
                row.readings.map(({ quantity, value }) =>
                    `${inSentence(quantityName(quantity))} ${measured(value, quantity)}`).join(", ")))),
        right.length > Limits.preview && h("p.quiet", null, t`And ${right.length - Limits.preview} more.`),
        right.length > 0 && record(context, right));
}

function record(context, rows) {
    return action({
        name: "record-readings", label: t`Record ${counted(rows.length, "line")}`,
        send: async (key) => {
            for (const [number, part] of parts(rows).entries()) {
                const body = { rows: part.map(({ row }) => row) };
                const { errors } = await command("POST", "/v1/manual-readings", body, `${key}-${number}`);
                if (errors.length > 0) throw new Problem(422, errors[0]);
            }
        },
        done: () => {
            context.announce(t`${counted(rows.length, "line")} recorded.`);
            return context.refresh();
        },
    });
}

/** Asks the server which rows it would record. */
async function checkedRows(rows) {
    /** @type {{line: number, detail: string}[]} */
    const errors = [];
    for (const [number, part] of parts(rows).entries()) {
        const body = { rows: part.map(({ row }) => row), check: true };
        const answer = await command("POST", "/v1/manual-readings", body, `check-${Date.now()}-${number}`);
        errors.push(...answer.errors.map(({ row, detail }) => ({ line: part[row].line, detail })));
    }
    const wrong = new Set(errors.map(({ line }) => line));
    return { errors, right: rows.filter(({ line }) => !wrong.has(line)) };
}

function parts(rows) {
    return Array.from({ length: Math.ceil(rows.length / Limits.rows) }, (_, number) =>
        rows.slice(number * Limits.rows, (number + 1) * Limits.rows));
}
