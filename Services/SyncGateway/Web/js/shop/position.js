/** The position of this device, while a page is open and the person has allowed it. It is neither stored nor sent. */

/** @type {{latitude: number, longitude: number}|null} */
let position = null;
/** @type {number|null} */
let watch = null;
let report = () => {};

/** Whether the browser gives positions at all: over https only. */
export const hasPosition = globalThis.isSecureContext === true && "geolocation" in navigator;

/** @returns {{latitude: number, longitude: number}|null} */
export function currentPosition() {
    return position;
}

/** @param {() => void} callback is called when the position has changed */
export function onPosition(callback) {
    report = callback;
}

/** Begins or ends to follow the position. @param {boolean} isAllowed */
export function follow(isAllowed) {
    if (!isAllowed || !hasPosition) {
        if (watch !== null) navigator.geolocation.clearWatch(watch);
        watch = null;
        position = null;
        return;
    }
    watch ??= navigator.geolocation.watchPosition(({ coords: { latitude, longitude } }) => {
        position = { latitude, longitude };
        report();
    }, () => {
        position = null;
        report();
    }, { maximumAge: 60_000 });
}
