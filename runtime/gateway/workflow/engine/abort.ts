import { AbortFlag } from '../../../mcp/abort-flag.ts';

/** Stops its work with a reason: an `AbortController` that is its own signal, because each step of each run needs one. */
export class Abort extends AbortFlag {
  reason: unknown;

  /** The first reason remains. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.reason = reason;
    this.raise();
  }
}
