/** Cedar itself, as WebAssembly. Four megabytes, so it is loaded for a bundle with policies only. */
import { createRequire } from 'node:module';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/**
 * An instance of its own: what is parsed in one is never freed, and a fault leaves its memory in any state. Node would hand
 * out the one that it has, and keep it, so it is taken out of the cache.
 */
export function newCedar(): Cedar {
  const file = fileOfCedar();
  const load = createRequire(file);
  const cedar = load(file) as Cedar;
  delete load.cache[file];
  return cedar;
}

function fileOfCedar(): string {
  // The bundler sees a call by the name `require`; outside of a bundle a module has none.
  return typeof require === 'function'
    ? require.resolve('@cedar-policy/cedar-wasm/nodejs')
    : createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');
}
