/** Cedar itself, as WebAssembly. Four megabytes, so it is loaded for a bundle with policies only. */
import { createRequire } from 'node:module';
import { optimizedEarly } from '../../tuning/v8-tiering.ts';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/** Where it is, once it was found. */
let file: string | undefined;

/**
 * An instance of its own: what is parsed in one is never freed, and a fault leaves its memory in any state. Node would hand
 * out the one that it has, and keep it, so it is taken out of the cache.
 */
export function newCedar(): Cedar {
  // The module that imports another keeps it alive, so each but the first is loaded without an importer.
  const path = file;
  const cedar = optimizedEarly(() => (path === undefined ? load() : (createRequire(path)(path) as Cedar)));
  const { cache } = createRequire(import.meta.url);
  file ??= Object.keys(cache).find(path => cache[path]?.exports === cedar);
  if (file !== undefined) delete cache[file];
  return cedar;
}

function load(): Cedar {
  // The bundler sees a call by the name `require`; outside of a bundle a module has none.
  return typeof require === 'function'
    ? require('@cedar-policy/cedar-wasm/nodejs')
    : createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs');
}
