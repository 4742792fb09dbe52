import { AbortFlag } from '../../../mcp/abort-flag.ts';

/** Stops what runs under it, for a reason: an `AbortController` whose signal is itself, as each step of each run needs one. */
export class Abort extends AbortFlag {
  reason: unknown;

  /** The first reason holds. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.reason = reason;
    this.raise();
  }
}
