/** The public face of the runtime room, for tests and embedding: what `lintel-runtime` does, as functions. */
export { BundleError, type LoadedBundle, loadBundle } from './bundle/load.ts';
export { createLogger, type Logger } from './observe/log.ts';
export type { StatusPage } from './observe/status.ts';
export { type Address, OptionError, type RuntimeOptions, readOptions } from './options.ts';
export { ListenError, type RunningRuntime, serve } from './serve.ts';
