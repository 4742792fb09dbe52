import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time after which the requests that a start sends to backends have usually ended; milliseconds. */
const SETTLED_MS = 1_500;

/**
 * Collects garbage once after the start, which frees 3 of 73 MB. V8 would do this only after the process has allocated as much again, which takes hours
 * in an idle process. The flag is the only way to call the garbage collector in Node.
 */
export function collectGarbageAfterStart(): void {
  const collect = () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as (options: object) => void;
    setFlagsFromString('--no-expose-gc');
    gc({ type: 'major', flavor: 'last-resort' });
  };
  setTimeout(collect, SETTLED_MS).unref();
}
