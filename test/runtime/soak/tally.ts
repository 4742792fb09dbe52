import { type CallKind, violation } from './calls.ts';
import type { Ending } from './clients/ending.ts';

/** Limit on printed violations; the rest is counted. */
const MAX_TOLD = 20;

/** The outcomes of a soak's calls. */
export class Tally {
  calls = 0;
  /** The number of calls by backend, mood and ending. */
  readonly #endings = new Map<string, number>();
  /** Which call of which client to which backend had a wrong ending. */
  readonly violations: string[] = [];
  violationCount = 0;

  add(kind: CallKind, call: { readonly client: string; readonly nonce: string }, ending: Ending): void {
    this.calls++;
    const how = ending.kind === 'error' ? `error ${ending.code} ${ending.reason}` : ending.kind;
    const key = `${kind.backend} ${kind.mood}: ${how}`;
    this.#endings.set(key, (this.#endings.get(key) ?? 0) + 1);
    const problem = violation(kind, call.nonce, call.client, ending);
    if (problem === undefined) return;
    this.wrong(`client ${call.client}, call ${call.nonce}, backend ${kind.backend} (${kind.mood}): ${problem}`);
  }

  /** Counts a violation, and stores its description. */
  wrong(what: string): void {
    this.violationCount++;
    if (this.violations.length < MAX_TOLD) this.violations.push(what);
  }

  /** Number of calls by backend, mood and ending. */
  get endings(): { readonly [what: string]: number } {
    return Object.fromEntries([...this.#endings].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Number of calls for a key of `endings`. */
  count(what: string): number {
    return this.#endings.get(what) ?? 0;
  }
}
