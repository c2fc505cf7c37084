/**
 * A form field of a picture. The picture is scaled down in the browser and uploaded at once; the field's value is the
 * SHA-256 of its bytes, beside that of its small copy.
 */
import { NoResponse, Problem, sendPicture } from "../common/api.js";
import { fill, freshID, h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";

/** Limits of an uploaded picture: longest side in pixels, size in bytes. */
const Limits = { side: 1600, bytes: 480_000, qualities: [0.85, 0.75, 0.6, 0.45] };

/** A field whose value is the SHA-256 of the uploaded picture. */
export class PictureField {
    /**
     * @param {object} given
     * @param {string} given.name the member of the request body
     * @param {string} given.label
     * @param {string} [given.value] the SHA-256 of the current picture
     * @param {string} [given.thumbnail] the SHA-256 of its small copy
     * @param {number} [given.side] the longest side in pixels
     * @param {boolean} [given.required]
     */
    constructor({ name, label, value, thumbnail, side = Limits.side, required = false }) {
        this.name = name;
        this.required = required;
        this.side = side;
        const id = freshID(`picture-${name}`);
        this.sha = value;
        this.thumbnail = thumbnail;
        this.view = h("div.picture-view");
        this.state = h("p.hint", { id: `${id}-state`, role: "status" });
        this.error = h("p.field-error", { id: `${id}-error`, hidden: true });
        this.control = h("input", { type: "file", id, accept: "image/png,image/jpeg,image/webp,image/gif",
            "aria-describedby": `${id}-hint ${id}-state ${id}-error` });
        this.control.addEventListener("change", () => this.take(this.control.files[0]));
        this.element = h("div.field.field-picture", { "data-field": name },
            h("label", { for: id }, label, !required && h("span.optional", null, t` (optional)`)),
            h("p.hint", { id: `${id}-hint` }, t`From the camera or a file; it is made smaller before it is sent.`),
            this.view, this.control, this.state, this.error);
        this.show();
    }

    /** @returns {string|undefined} */
    get value() {
        return this.sha;
    }

    /** @returns {{thumbnail?: string}} further members of the request body */
    get more() {
        return this.sha && this.thumbnail ? { thumbnail: this.thumbnail } : {};
    }

    get draft() {
        return [this.sha, this.thumbnail].filter(Boolean).join(" ");
    }

    set draft(names) {
        [this.sha, this.thumbnail] = names ? names.split(" ") : [];
        this.show();
    }

    /** @returns {boolean} false while the picture is being uploaded, or if a required one is missing */
    check() {
        const isMissing = this.required && !this.sha;
        if (this.isSending) this.showError(t`The picture is still being sent. Wait a moment.`);
        else if (isMissing) this.showError(t`Choose a picture.`);
        return !this.isSending && !isMissing;
    }

    showError(text) {
        this.error.hidden = text === null;
        this.error.textContent = text ?? "";
    }

    show() {
        fill(this.view, this.sha && [
            h("img", { src: `/media/${this.sha}`, alt: t`Current picture`, width: 240, height: 150 }),
            h("button.button.button-quiet", { type: "button", onclick: () => {
                this.draft = "";
                this.changed();
                this.control.focus();
            } }, icon("cross"), t`Remove`),
        ]);
    }

    changed() {
        this.element.dispatchEvent(new Event("input", { bubbles: true }));
    }

    async take(file) {
        if (!file) return;
        this.showError(null);
        this.isSending = true;
        this.state.textContent = t`Sending the picture …`;
        try {
            const { sha256, thumbnail = "" } = await sendPicture(await small(file, this.side));
            this.draft = `${sha256} ${thumbnail}`.trim();
            this.state.textContent = t`The picture was uploaded. It is shown when you save.`;
            this.changed();
        } catch (error) {
            this.state.textContent = "";
            this.showError(error instanceof Problem || error instanceof NoResponse ? error.message
                : t`This file cannot be read as a picture. Use PNG, JPEG or WebP.`);
        } finally {
            this.isSending = false;
        }
    }
}

/**
 * Encodes a picture anew, within the limits. This also removes metadata such as the place where it was taken. A small
 * GIF stays as it is, so that it keeps its animation.
 * @param {File} file
 * @param {number} side the longest side in pixels
 * @returns {Promise<Blob>}
 * @throws {DOMException} if the file is not a picture
 */
export async function small(file, side = Limits.side) {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const isSmall = scale === 1 && file.size <= Limits.bytes;
    if (isSmall && file.type === "image/gif") return file;
    const canvas = h("canvas", { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) });
    const pen = canvas.getContext("2d");
    pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    let blob = isSmall && file.type === "image/png" ? await drawn(canvas, "image/png") : null;
    if (blob !== null && blob.size <= Limits.bytes) return blob;
    // JPEG has no transparency: transparent pixels would become black.
    pen.globalCompositeOperation = "destination-over";
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    for (const quality of Limits.qualities) {
        blob = await drawn(canvas, "image/jpeg", quality);
        if (blob.size <= Limits.bytes) break;
    }
    return blob;
}

/** @returns {Promise<Blob>} the content of a canvas */
function drawn(canvas, type, quality) {
    return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}
