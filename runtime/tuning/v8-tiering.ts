/**
 * Sets how much of a module or function must have run before V8 optimizes it. V8 reads these flags each time it resets its counters, so a change applies
 * to code that is compiled later.
 */
import { setFlagsFromString } from 'node:v8';

/** V8's default for WebAssembly; bytes of code that have run. */
const USUAL_BUDGET = 1_800_000;
const LATE_BUDGET = 2_000_000_000;

/** For JavaScript: number of calls of a function and of iterations of its loops. Ten times V8's default; a second of load reaches it. */
const LATE_JAVASCRIPT: readonly string[] = [
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-maglev-osr=1000',
  '--invocation-count-for-osr=5000',
];

/** The first version of Node with all of these flags. */
const OLDEST_NODE = 22;

let isPutOff = false;

/**
 * Postpones optimization until there is load. With V8's defaults, the few responses during a start are enough that V8 optimizes the HTTP parser, which is
 * WebAssembly, and the loops over long lists of tools. That would permanently cost an idle gateway 13 MB, and 4 to 10 MB for V8's optimizers. A single
 * large response, for which this code runs once per chunk, does not count as load either.
 */
export function putOffOptimizing(): void {
  // An older Node would print an error about an unknown flag before the program can print its message about the version.
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
