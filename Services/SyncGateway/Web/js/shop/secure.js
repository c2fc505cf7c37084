/** What depends on a secure context (https or localhost). */
import { t } from "../common/language.js";

/** Whether the service worker can cache the pages for offline use. */
export const keepsPages = globalThis.isSecureContext === true && "serviceWorker" in navigator;

/** The text that explains what is missing over plain http. */
export const withoutSecurity = t`This page was loaded over plain http. Browsers then do not store pages, so it does
    not open without a connection, and they cannot check stories. Both work over https: ask the farm for its https
    address.`;
