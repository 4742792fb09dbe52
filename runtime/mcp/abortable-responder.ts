import { AbortFlag } from './abort-flag.ts';
import type { BackendError, BackendFailure } from './backend-error.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

const CODE_OF_REASON: ReadonlyMap<BackendFailure, number> = new Map([
  ['timeout', WIRE_CODE.timeout],
  ['login_required', WIRE_CODE.loginRequired],
]);

/** The error code of a backend's failure. The stateless revision has no code for a timeout, and reserves the codes of older revisions. */
export function getFailureCode(reason: BackendFailure, isStateless: boolean): number {
  if (isStateless && reason === 'timeout') return WIRE_CODE.internalError;
  return CODE_OF_REASON.get(reason) ?? WIRE_CODE.internalError;
}

/** The common part of the responders of all transports: callbacks for an abort, and the error for a backend's failure. */
export abstract class AbortableResponder extends AbortFlag {
  /** Whether errors have the codes of the stateless revision. */
  protected readonly isStateless: boolean = false;

  abstract error(error: WireError): void;

  onAbort(callback: () => void): void {
    if (this.aborted) callback();
    else this.addEventListener('abort', { handleEvent: callback });
  }

  fail(error: BackendError): void {
    const { backend, reason, message } = error;
    this.error(new WireError(getFailureCode(reason, this.isStateless), message, { data: { backend, reason } }));
  }
}
