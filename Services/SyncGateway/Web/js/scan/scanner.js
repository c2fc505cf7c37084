/** A dialog that reads codes: with the camera, from a picture, or typed. It works without a network. */
import { NoResponse, Problem } from "../common/api.js";
import { fill, h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { openDialog } from "../common/parts.js";
import { CodeReader } from "./photograph.js";

/** The pause between two pictures; how long after it was last seen a code is not used again. */
const Limits = { pauseMilliseconds: 60, againMilliseconds: 2_500 };

/**
 * Opens the dialog.
 * @param {object} given
 * @param {string} given.title
 * @param {string} given.lead
 * @param {(text: string, how: "camera"|"typed") => Promise<string|Node|null>} given.onText returns what is shown
 *     then; null closes the dialog
 * @returns {HTMLElement} the dialog
 */
export function openScanner({ title, lead, onText }) {
    const scanner = new Scanner(onText);
    const dialog = openDialog(title, h("p.quiet", null, lead), scanner.element);
    scanner.close = () => dialog.close();
    dialog.addEventListener("close", () => scanner.stop());
    scanner.start();
    return dialog;
}

class Scanner {
    constructor(onText) {
        this.onText = onText;
        this.close = () => {};
        this.isStopped = false;
        this.last = { text: "", until: 0 };
        this.stream = null;
        this.reader = new CodeReader();
        this.video = h("video.scan-video",
            { playsinline: true, muted: true, hidden: true, "aria-label": t`What the camera sees` });
        // The camera may be ready, or fail, after a code was typed: neither line replaces the other.
        this.camera = h("p.quiet", { role: "status" });
        this.outcome = h("p", { role: "status" });
        const file = h("input", { type: "file", accept: "image/*", id: "scan-file", onchange: () => {
            const [chosen] = file.files;
            file.value = "";
            if (chosen) this.readFile(chosen);
        } });
        const typed = h("input", { id: "scan-text", maxlength: 500, autocomplete: "off", autocapitalize: "off" });
        const form = h("form.form", { novalidate: true }, h("div.field", null,
            h("label", { for: "scan-text" }, t`Or type what is printed below it`), typed),
            h("div.form-end", null, h("button.button.button-quiet", { type: "submit" }, t`Use this`)));
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (typed.value.trim() === "") return typed.focus();
            this.take(typed.value.trim(), "typed");
            typed.value = "";
            return undefined;
        });
        this.element = h("div.scan-dialog", null, this.video, this.camera, this.outcome,
            h("div.field", null, h("label", { for: "scan-file" }, icon("camera"), t` From a picture`), file), form);
    }

    async start() {
        fill(this.camera, t`The camera is starting …`);
        this.reader = await CodeReader.best();
        try {
            if (!navigator.mediaDevices?.getUserMedia) throw new DOMException("", "InsecureError");
            this.stream = await navigator.mediaDevices.getUserMedia({
                audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 } } });
            if (this.isStopped) return this.stop();
            this.video.srcObject = this.stream;
            this.video.hidden = false;
            await this.video.play();
            fill(this.camera, t`Hold the code into the picture.`);
            this.loop();
        } catch (error) {
            if (!this.isStopped) fill(this.camera, withoutCamera(error));
        }
        return undefined;
    }

    stop() {
        this.isStopped = true;
        for (const track of this.stream?.getTracks() ?? []) track.stop();
        this.stream = null;
    }

    async loop() {
        while (!this.isStopped) {
            if (this.video.readyState >= 2 && !document.hidden) {
                const text = await this.reader.readVideo(this.video);
                if (text !== null && !this.isStopped) await this.take(text, "camera");
            }
            await new Promise((resolve) => setTimeout(resolve, Limits.pauseMilliseconds));
        }
    }

    async readFile(file) {
        this.say(t`Reading the picture …`);
        // The text appears before the page is busy.
        await new Promise((resolve) => setTimeout(resolve, 20));
        let text = null;
        try {
            text = await this.reader.readPhotograph(await createImageBitmap(file));
        } catch {
            this.say(t`This file cannot be read as a picture.`);
            return;
        }
        if (text === null) this.say(t`There is no code in this picture that can be read. Go nearer, avoid
            shadows.`);
        else await this.take(text, "camera");
    }

    /** Uses a code. One that stays in the picture is used once. */
    async take(text, how) {
        const now = Date.now();
        if (how === "camera" && text === this.last.text && now < this.last.until) {
            this.last.until = now + Limits.againMilliseconds;
            return;
        }
        this.last = { text, until: now + Limits.againMilliseconds };
        navigator.vibrate?.(60);
        try {
            const shown = await this.onText(text, how);
            if (shown === null) this.close();
            else this.say(shown);
        } catch (error) {
            // What the farm refuses is said, and the next code can be read.
            if (!(error instanceof Problem) && !(error instanceof NoResponse)) console.error(error);
            this.say(error instanceof Error ? error.message : t`This code could not be used.`);
        }
    }

    /** Shows what became of a code. */
    say(text) {
        fill(this.outcome, text);
    }
}

function withoutCamera(error) {
    const rest = t`Take a picture of the code, or type it.`;
    if (error.name === "InsecureError") {
        return t`Browsers give a page the camera only if it was loaded over https. ${rest}`;
    }
    if (error.name === "NotAllowedError") return t`The camera is not allowed for this site, in its settings.
        ${rest}`;
    return t`There is no camera here that can be used. ${rest}`;
}
