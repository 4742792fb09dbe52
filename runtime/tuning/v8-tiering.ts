/**
 * Sets when V8 optimizes a module or function: after how much of it has run. V8 reads these flags each time it resets its counters, so they
 * apply to code that is compiled after the change.
 */
import { setFlagsFromString } from 'node:v8';

/** V8's default for WebAssembly; bytes of code that have run. */
const USUAL_BUDGET = 1_800_000;
const LATE_BUDGET = 2_000_000_000;

/** For JavaScript: calls of a function and iterations of its loops. Ten times V8's default, which a second of load reaches. */
const LATE_JAVASCRIPT: readonly string[] = [
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-maglev-osr=1000',
  '--invocation-count-for-osr=5000',
];

/** The first version of Node with all of these flags. */
const OLDEST_NODE = 22;

let isPutOff = false;

/**
 * Postpones optimization until there is load. With V8's defaults, the few responses during a start already optimize the HTTP parser, which is
 * WebAssembly, and the loops over long lists of tools. That costs an idle gateway 13 MB and 4 to 10 MB for good, for pages of the optimizers. A
 * single large response, which runs this code once a chunk, is not load either.
 */
export function putOffOptimizing(): void {
  // For an unknown flag an older Node would print a complaint before the program's own message about the version.
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) return;
  isPutOff = true;
  setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`);
  for (const flag of LATE_JAVASCRIPT) setFlagsFromString(flag);
}

/** Optimizes a module as soon as it is compiled. */
export function optimizeEarly<T>(compile: () => T): T {
  if (!isPutOff) return compile();
  setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`);
  try {
    return compile();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`);
  }
}
