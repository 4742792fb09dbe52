import type { AbortListener, AbortSource } from '#shared/util';

/** A cheap replacement for `AbortController` and its signal in one object: a real pair costs more than all other objects of a tool call. */
export abstract class AbortFlag implements AbortSource {
  private _isAborted = false;
  private _listeners: AbortListener[] | undefined;

  get aborted(): boolean {
    return this._isAborted;
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this._listeners === undefined) this._listeners = [listener];
    else this._listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const index = this._listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this._listeners?.splice(index, 1);
  }

  /** Notifies all listeners; only the first call has an effect. */
  protected raise(): void {
    if (this._isAborted) return;
    this._isAborted = true;
    const listeners = this._listeners ?? [];
    this._listeners = undefined;
    for (const listener of listeners) listener.handleEvent();
  }
}
