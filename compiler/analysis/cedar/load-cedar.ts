/** Cedar itself, as WebAssembly. It has four megabytes, so it is loaded for the first policy, and never for specs without policies. */
import { createRequire } from 'node:module';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

let loaded: Cedar | undefined;

/**
 * Cedar's answer, or `undefined` when it cannot answer: the input is nested too deeply for its stack, or is not valid JSON for it, such as a
 * string with an unpaired surrogate.
 */
export function callCedar<T>(query: (cedar: Cedar) => T): T | undefined {
  loaded ??= load();
  try {
    return query(loaded);
  } catch {
    // A WebAssembly trap leaves the instance in an undefined state, so the next call gets a new instance.
    loaded = undefined;
    return undefined;
  }
}

function load(): Cedar {
  // The bundler recognizes a call of the name `require`; outside of a bundle, ES modules have none.
  if (typeof require === 'function') {
    forget(require);
    return require('@cedar-policy/cedar-wasm/nodejs') as Cedar;
  }
  const fromHere = createRequire(import.meta.url);
  forget(fromHere);
  return fromHere('@cedar-policy/cedar-wasm/nodejs') as Cedar;
}

/** Removes Cedar from Node's cache of modules: as long as the module is cached, its broken WebAssembly instance would be used again. */
function forget({ cache }: NodeJS.Require): void {
  for (const file of Object.keys(cache)) if (file.includes('cedar_wasm')) delete cache[file];
}
