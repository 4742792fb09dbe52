/** Loads Cedar, a WebAssembly module of four megabytes; called only for a bundle with policies. */
import { createRequire } from 'node:module';
import { optimizeEarly } from '../../tuning/v8-tiering.ts';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/** The path of Cedar's module, once it has been loaded. */
let file: string | undefined;

/**
 * Creates a new instance of Cedar: an instance never frees parsed policies, and a fault leaves its memory in an undefined state. The module is
 * removed from Node's module cache, which would return the same instance again and keep it in memory.
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
