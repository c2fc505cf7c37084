/** Codes that the staff scan: on items, one or many. The reader of codes is loaded when it is used. */
import { h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";

const load = async () => {
    const [{ openScanner }, { codeOf }] = await Promise.all([
        import("../scan/scanner.js"), import("../scan/target.js")]);
    return { openScanner, codeOf };
};

/**
 * Returns a button that puts a code into a field.
 * @param {HTMLInputElement} control @param {{announce: (text: string) => void}} context
 */
export function scanButton(control, context) {
    return h("button.button.button-quiet", { type: "button", onclick: async () => {
        const { openScanner, codeOf } = await load();
        openScanner({ title: t`Scan the code`, lead: t`What is on the thing: a QR code or a bar code.`,
            onText: async (text) => {
                control.value = codeOf(text);
                control.dispatchEvent(new Event("input", { bubbles: true }));
                context.announce(t`The code was taken.`);
                return null;
            } });
    } }, icon("camera"), t`Scan`);
}

/**
 * Reads one code after the other, until the dialog is closed.
 * @param {string} title
 * @param {(code: string, how: "camera"|"typed", text: string) => Promise<string>} use gets what identifies the thing
 *     and what the code contains; returns what is shown then
 */
export async function scanMany(title, use) {
    const { openScanner, codeOf } = await load();
    openScanner({ title, lead: t`Each code counts once, as long as it stays in the picture.`,
        onText: (text, how) => use(codeOf(text), how, text) });
}
