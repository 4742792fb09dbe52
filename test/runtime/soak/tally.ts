import { type CallKind, violation } from './calls.ts';
import type { Ending } from './clients/ending.ts';

/** So many violations are printed; the rest is only counted. */
const MAX_TOLD = 20;

/** What became of the calls of a soak. */
export class Tally {
  calls = 0;
  /** By backend, mood and ending. */
  readonly #endings = new Map<string, number>();
  /** Which call of which client to which backend did not end as it must. */
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

  /** Counts something that must not be, and keeps what is said of it. */
  wrong(what: string): void {
    this.violationCount++;
    if (this.violations.length < MAX_TOLD) this.violations.push(what);
  }

  /** How many calls ended how, by backend, mood and ending. */
  get endings(): { readonly [what: string]: number } {
    return Object.fromEntries([...this.#endings].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** How many calls ended as a key of `endings` says. */
  count(what: string): number {
    return this.#endings.get(what) ?? 0;
  }
}
