/**
 * When V8 optimizes: after how much of a module or function has run. V8 reads these flags whenever it counts again, so they hold
 * for what is compiled after they were set.
 */
import { setFlagsFromString } from 'node:v8';

/** WebAssembly, V8's own; bytes of code that have run. */
const USUAL_BUDGET = 1_800_000;
const LATE_BUDGET = 2_000_000_000;

/** JavaScript: calls of a function, and rounds of its loops counted as such. Ten times V8's own, a second of load. */
const LATE_JAVASCRIPT: readonly string[] = [
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-maglev-osr=1000',
  '--invocation-count-for-osr=5000',
];

/** The first with all of these flags. */
const OLDEST_NODE = 22;

let isPutOff = false;

/**
 * Puts optimizing off until there is load. With V8's defaults the few answers of a start already get the HTTP parser, which is
 * WebAssembly, and the loops over long lists of tools optimized, which costs a gateway at rest 13 and 4 to 10 MB for good: pages of
 * the optimizers. A large answer, whose every chunk counts, is no load either.
 */
export function putOffOptimizing(): void {
  // On one that is too old V8 complains about flags that it does not know, in front of what the program says about that.
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) return;
  isPutOff = true;
  setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`);
  for (const flag of LATE_JAVASCRIPT) setFlagsFromString(flag);
}

/** Compiles modules that are worth being optimized at once. */
export function optimizedEarly<T>(compile: () => T): T {
  if (!isPutOff) return compile();
  setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`);
  try {
    return compile();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`);
  }
}
