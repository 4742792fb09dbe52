import { createRequire } from 'node:module';

export type Sdk = typeof import('./sdk.ts');

/** Loads the OpenTelemetry SDK. This takes a quarter of a second and 30 MB, so it is called only for a bundle that names a collector. */
export function loadSdk(): Sdk {
  // The bundler recognizes a call of the name `require`; outside of a bundle an ES module has no `require`.
  return typeof require === 'function' ? require('./sdk.ts') : createRequire(import.meta.url)('./sdk.ts');
}
