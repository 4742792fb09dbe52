import type { BackendError } from '../gateway/backend/backend.ts';
import { AbortFlag } from './abort-flag.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** What the answers of all transports have in common: who is told when nobody waits any more, and how a failure reads. */
export abstract class AbortableAnswer extends AbortFlag {
  abstract error(error: WireError): void;

  onAbort(callback: () => void): void {
    if (this.aborted) callback();
    else this.addEventListener('abort', { handleEvent: callback });
  }

  fail(error: BackendError): void {
    const code = error.reason === 'timeout' ? WIRE_CODE.timeout : WIRE_CODE.internalError;
    this.error(new WireError(code, error.message, { data: { backend: error.backend, reason: error.reason } }));
  }
}
