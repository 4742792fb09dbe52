/**
 * Cedar itself, as WebAssembly. Four megabytes, so it is loaded when the first policy is met; what has no policies never
 * pays for it.
 */
import { createRequire } from 'node:module';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

let loaded: Cedar | undefined;

/**
 * What Cedar answers, or `undefined` when it cannot: what is asked about is nested too deeply for its stack, or is not the
 * JSON that it expects, such as a string with half of a surrogate pair.
 */
export function callCedar<T>(query: (cedar: Cedar) => T): T | undefined {
  loaded ??= load();
  try {
    return query(loaded);
  } catch {
    // A trap leaves the memory of the instance in any state: the next question gets a new one.
    loaded = undefined;
    return undefined;
  }
}

function load(): Cedar {
  // The bundler sees a call by the name `require`; outside of a bundle a module has none.
  if (typeof require === 'function') {
    forget(require);
    return require('@cedar-policy/cedar-wasm/nodejs') as Cedar;
  }
  const fromHere = createRequire(import.meta.url);
  forget(fromHere);
  return fromHere('@cedar-policy/cedar-wasm/nodejs') as Cedar;
}

/** Node keeps modules, and with the module its instance. */
function forget({ cache }: NodeJS.Require): void {
  for (const file of Object.keys(cache)) if (file.includes('cedar_wasm')) delete cache[file];
}
