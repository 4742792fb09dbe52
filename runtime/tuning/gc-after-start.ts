import { collectGarbage } from '#shared/util';

/** Time after which the requests that a start sends to backends have usually ended; milliseconds. */
const SETTLED_MS = 1_500;

/**
 * Collects garbage once after the start, which frees 3 of 73 MB. V8 would do this only after the process has allocated as much again, which takes hours
 * in an idle process.
 */
export function collectGarbageAfterStart(): void {
  setTimeout(collectGarbage, SETTLED_MS).unref();
}
