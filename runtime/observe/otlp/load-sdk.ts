import { createRequire } from 'node:module';

export type Sdk = typeof import('./sdk.ts');

/** Takes a quarter of a second and 30 MB: for bundles that name a collector alone. */
export function loadSdk(): Sdk {
  // The bundler sees a call by the name `require`; outside of a bundle a module has none.
  return typeof require === 'function' ? require('./sdk.ts') : createRequire(import.meta.url)('./sdk.ts');
}
