import type { AbortListener, AbortSource } from '#util';
import { AbortFlag } from '../../../mcp/abort-flag.ts';

/** Aborts work with a reason. An `AbortController` that is its own signal, because each step of each run needs one. */
export class Abort extends AbortFlag {
  reason: unknown;

  /** The first reason remains. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.reason = reason;
    this.raise();
  }
}

/** Stops with its parent as well, for the parent's reason, until it is detached. */
export class ChildAbort extends Abort implements AbortListener {
  private readonly _parent: AbortSource;

  constructor(parent: AbortSource) {
    super();
    this._parent = parent;
    parent.addEventListener('abort', this);
  }

  /** The parent was aborted. */
  handleEvent(): void {
    this.abort(this._parent.reason);
  }

  detach(): void {
    this._parent.removeEventListener('abort', this);
  }
}
