import type { BackendError, BackendFailure } from '../gateway/backend/backend.ts';
import { AbortFlag } from './abort-flag.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

const CODE_OF_REASON: ReadonlyMap<BackendFailure, number> = new Map([
  ['timeout', WIRE_CODE.timeout],
  ['login_required', WIRE_CODE.loginRequired],
]);

/** What the answers of all transports have in common: who is told when nobody waits any more, and how a failure reads. */
export abstract class AbortableAnswer extends AbortFlag {
  abstract error(error: WireError): void;

  onAbort(callback: () => void): void {
    if (this.aborted) callback();
    else this.addEventListener('abort', { handleEvent: callback });
  }

  fail(error: BackendError): void {
    const { backend, reason, message } = error;
    const code = CODE_OF_REASON.get(reason) ?? WIRE_CODE.internalError;
    this.error(new WireError(code, message, { data: { backend, reason } }));
  }
}
