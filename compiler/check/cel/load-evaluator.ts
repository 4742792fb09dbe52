import { createRequire } from 'node:module';

type Evaluator = typeof import('./evaluator.ts');

let loaded: Evaluator | undefined;

/** Loads the evaluator on first use: commands that evaluate nothing start faster without it. */
export function loadEvaluator(): Evaluator {
  loaded ??= load();
  return loaded;
}

function load(): Evaluator {
  // The bundler includes what a call named `require` loads; outside of a bundle an ES module has no `require`.
  if (typeof require === 'function') return require('./evaluator.ts') as Evaluator;
  return createRequire(import.meta.url)('./evaluator.ts') as Evaluator;
}
