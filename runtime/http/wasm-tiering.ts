/** When V8 optimizes WebAssembly: how much of a module has to run first. It is set for each module as it is compiled. */
import { setFlagsFromString } from 'node:v8';

/** Of V8 itself; bytes of code that have run. */
const USUAL_BUDGET = 1_800_000;
const LATE_BUDGET = 2_000_000_000;

let isPutOff = false;

/**
 * Puts optimizing off until there is load. The HTTP parser is WebAssembly: with V8's default, the few answers of a start already
 * get it optimized, which costs a gateway at rest 13 MB for good. A large answer, whose every chunk counts, is no load either.
 */
export function putOffOptimizing(): void {
  isPutOff = true;
  setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`);
}

/** Compiles modules that are worth being optimized at once. */
export function optimizedEarly<T>(compile: () => T): T {
  if (!isPutOff) return compile();
  setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`);
  try {
    return compile();
  } finally {
    putOffOptimizing();
  }
}
