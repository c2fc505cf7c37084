/** Reads the code in a photograph or in a picture of a video. */
import { readEAN } from "./ean.js";
import { greyOf } from "./pixels.js";
import { readFrame, readQR } from "./qr.js";

/** The longer sides at which a photograph is read, and that of a video's picture, in pixels. */
const Limits = { photograph: [1000, 1800], video: 800 };
const formats = ["qr_code", "ean_13", "ean_8", "upc_a"];

/** Reads with the browser's own reader (Barcode Detection API), where there is one that knows our codes, and ours. */
export class CodeReader {
    /** @param {any} detector the browser's own reader, or null */
    constructor(detector = null) {
        this.detector = detector;
        this.canvas = document.createElement("canvas");
        this.frames = 0;
    }

    /** @returns {Promise<CodeReader>} one with the browser's own reader, if there is one */
    static async best() {
        const Detector = /** @type {any} */ (globalThis).BarcodeDetector;
        if (!Detector) return new CodeReader();
        try {
            const known = await Detector.getSupportedFormats();
            const wanted = formats.filter((one) => known.includes(one));
            return new CodeReader(wanted.includes("qr_code") ? new Detector({ formats: wanted }) : null);
        } catch {
            return new CodeReader();
        }
    }

    /** @param {ImageBitmap} picture @returns {Promise<string|null>} */
    async readPhotograph(picture) {
        const found = await this.#detected(picture);
        if (found !== null) return found;
        for (const side of Limits.photograph) {
            const grey = this.#draw(picture, picture.width, picture.height, side);
            const text = readQR(grey) ?? readEAN(grey);
            if (text !== null) return text;
        }
        return null;
    }

    /** @param {HTMLVideoElement} video that is playing @returns {Promise<string|null>} */
    async readVideo(video) {
        this.frames += 1;
        const found = await this.#detected(video);
        if (found !== null) return found;
        const grey = this.#draw(video, video.videoWidth, video.videoHeight, Limits.video);
        return readFrame(grey, this.frames) ?? (this.frames % 2 === 0 ? readEAN(grey) : null);
    }

    async #detected(source) {
        const found = await this.detector?.detect(source).catch(() => []) ?? [];
        return found.length > 0 ? found[0].rawValue : null;
    }

    #draw(source, width, height, side) {
        const scale = Math.min(1, side / Math.max(width, height));
        this.canvas.width = Math.max(1, Math.round(width * scale));
        this.canvas.height = Math.max(1, Math.round(height * scale));
        const pen = this.canvas.getContext("2d", { willReadFrequently: true });
        pen.drawImage(source, 0, 0, this.canvas.width, this.canvas.height);
        return greyOf(pen.getImageData(0, 0, this.canvas.width, this.canvas.height));
    }
}
