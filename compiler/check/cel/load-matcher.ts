import { createRequire } from 'node:module';

type Matcher = typeof import('./matcher.ts');

let loaded: Matcher | undefined;

/** Loads the matcher parser on first use; see `load-evaluator.ts`. */
export function loadMatcher(): Matcher {
  loaded ??= load();
  return loaded;
}

function load(): Matcher {
  // The bundler includes what a call named `require` loads; outside of a bundle an ES module has no `require`.
  if (typeof require === 'function') return require('./matcher.ts') as Matcher;
  return createRequire(import.meta.url)('./matcher.ts') as Matcher;
}
