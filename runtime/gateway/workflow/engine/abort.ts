import type { AbortListener, AbortSource } from '#shared/util';
import { AbortFlag } from '../../../mcp/abort-flag.ts';

/** Aborts work with a reason. An `AbortController` that is its own signal, because each step of each run needs one. */
export class Abort extends AbortFlag {
  reason: unknown;

  /** Aborts; only the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.reason = reason;
    this.raise();
  }
}

/** A signal that is aborted together with its parent, with the same reason, until it is detached. */
export class ChildAbort extends Abort implements AbortListener {
  private readonly _parent: AbortSource;

  constructor(parent: AbortSource) {
    super();
    this._parent = parent;
    parent.addEventListener('abort', this);
  }

  /** Called when the parent was aborted. */
  handleEvent(): void {
    this.abort(this._parent.reason);
  }

  detach(): void {
    this._parent.removeEventListener('abort', this);
  }
}
