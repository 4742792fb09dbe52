import { createRequire } from 'node:module';

type Evaluator = typeof import('./evaluator.ts');

let loaded: Evaluator | undefined;

/** The evaluator, loaded when it is first needed: commands that judge nothing start faster without it. */
export function loadEvaluator(): Evaluator {
  loaded ??= load();
  return loaded;
}

function load(): Evaluator {
  // The bundler builds in what a call by the name `require` asks for; outside of a bundle a module has no `require`.
  if (typeof require === 'function') return require('./evaluator.ts') as Evaluator;
  return createRequire(import.meta.url)('./evaluator.ts') as Evaluator;
}
