/** Cedar as WebAssembly. It has four megabytes, so it is loaded only for a bundle with policies. */
import { createRequire } from 'node:module';
import { optimizeEarly } from '../../tuning/v8-tiering.ts';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/** Its path, once found. */
let file: string | undefined;

/**
 * A separate instance: parsed policies are never freed within an instance, and a fault leaves its memory in an undefined state. Node would
 * return and keep the cached instance, so it is removed from the cache.
 */
export function createCedar(): Cedar {
  // An importing module keeps the imported module in memory, so only the first instance is loaded with an importer.
  const path = file;
  const cedar = optimizeEarly(() => (path === undefined ? load() : (createRequire(path)(path) as Cedar)));
  const { cache } = createRequire(import.meta.url);
  file ??= Object.keys(cache).find(path => cache[path]?.exports === cedar);
  if (file !== undefined) delete cache[file];
  return cedar;
}

function load(): Cedar {
  // The bundler recognizes a call named `require`; outside of a bundle an ES module has none.
  return typeof require === 'function'
    ? require('@cedar-policy/cedar-wasm/nodejs')
    : createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs');
}
