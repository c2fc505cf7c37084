// The scope of a service worker; TypeScript takes `self` for that of any worker.
interface WorkerGlobalScope {
    readonly clients: Clients;
    skipWaiting(): Promise<void>;
    addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
    addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}
