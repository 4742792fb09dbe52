import { createRequire } from 'node:module';

type Matcher = typeof import('./matcher.ts');

let loaded: Matcher | undefined;

/** The reader of matchers, loaded when the first one is met; see `load-evaluator.ts`. */
export function loadMatcher(): Matcher {
  loaded ??= load();
  return loaded;
}

function load(): Matcher {
  // The bundler builds in what a call by the name `require` asks for; outside of a bundle a module has no `require`.
  if (typeof require === 'function') return require('./matcher.ts') as Matcher;
  return createRequire(import.meta.url)('./matcher.ts') as Matcher;
}
