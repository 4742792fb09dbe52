/** The texts and reasons of failures of backend requests. No message repeats a URL, a header or a body. */

import { CredentialError } from '../../auth/outgoing/credential.ts';
import { HeaderForwardingError } from '../../auth/outgoing/header-forwarding.ts';
import { AddressRefusedError } from '../../http/address-refused-error.ts';
import { isNotHttp, readErrorCode } from '../../http/connection-failure.ts';
import { BackendError } from '../../mcp/backend-error.ts';
import { EventTooLargeError } from '../../mcp/event-stream-parser.ts';
import type { BackendContext } from './context.ts';

/** The backend refused to open a session with an error of the stateless revision. */
export class OtherEraError extends BackendError {
  constructor(backend: string) {
    super(backend, 'protocol_error', 'has no sessions: it speaks a newer revision of MCP');
    this.name = 'OtherEraError';
  }
}

/** The status of a server's answer to a request of another era. Other refusals are about the request, its sender or a passing state. */
const OTHER_ERA_STATUS: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415]);

/** Whether a request with this error was refused without processing, as a backend of another era does. */
export function mayBeOtherEra(error: unknown): error is BackendError {
  if (!(error instanceof BackendError)) return false;
  return error instanceof OtherEraError || isOtherEraStatus(error.httpStatus);
}

export function isOtherEraStatus(status: number | undefined): boolean {
  return OTHER_ERA_STATUS.has(status);
}

/** A request of a stateless client reached a session. The gateway did not send it: no other caller may see a session's state. */
export class InSessionsError extends BackendError {
  constructor(backend: string) {
    super(backend, 'protocol_error', 'keeps sessions: it does not accept requests without a session');
    this.name = 'InSessionsError';
  }
}

/** A bridged request reached a stateless backend. The gateway did not send it: there is no session to bridge. */
export class WithoutSessionsError extends BackendError {
  constructor(backend: string) {
    super(backend, 'protocol_error', 'no longer has sessions');
    this.name = 'WithoutSessionsError';
  }
}

/** Converts the failure of a connection or of reading an answer, as `Exchange` and the parsers report it. */
export function toBackendError(backend: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  if (error instanceof CredentialError) {
    const reason = error.fault === 'caller' ? 'login_required' : 'unauthenticated';
    return new BackendError(backend, reason, `no credential can be sent: ${error.message}`);
  }
  if (error instanceof HeaderForwardingError) return new BackendError(backend, 'unauthenticated', error.message);
  if (error instanceof AddressRefusedError) return new BackendError(backend, 'address_refused', error.message);
  if (error instanceof EventTooLargeError) return createTooLarge(backend);
  if (isNotHttp(error)) return createProtocolError(backend, 'the answer is not HTTP');
  // The messages of the HTTP client and of Node can contain local addresses and parts of answers; their codes cannot.
  return new BackendError(backend, 'connection_failed', `the connection failed (${readErrorCode(error)})`);
}

/** The failure of requests whose answers were expected on a stream that has ended. */
export function createConnectionLost(backend: string): BackendError {
  return toBackendError(backend, { code: 'STREAM_ENDED' });
}

/** The failure of a request that was answered with a status that is not a success. */
export function createStatusFailure(
  context: Pick<BackendContext, 'backend' | 'credential'>,
  status: number,
): BackendError {
  const { backend } = context;
  if (status === 401 || status === 403) return createRefusal(context, status);
  if (status >= 300 && status < 400) {
    return new BackendError(
      backend,
      'http_error',
      `answered with a redirect that may not be followed (HTTP ${status})`,
      status,
    );
  }
  return new BackendError(backend, 'http_error', `answered HTTP ${status}`, status);
}

/** Whether the failure is about the caller and not about the backend: another caller's request may succeed. */
export function isCallerError(error: unknown): boolean {
  return error instanceof BackendError && (error.reason === 'unauthenticated' || error.reason === 'login_required');
}

/** A refusal with 401 gets here only after the gateway tried a new credential. 403 is about permissions, so another login changes nothing. */
function createRefusal(
  { backend, credential }: Pick<BackendContext, 'backend' | 'credential'>,
  status: 401 | 403,
): BackendError {
  const { strategy, owner } = credential;
  const http = `(HTTP ${status})`;
  if (strategy === 'unauthenticated') {
    return new BackendError(backend, 'unauthenticated', `refused the credentials of the request ${http}`, status);
  }
  if (owner === 'nobody') {
    const text = `requires the credential of a caller ${http}; ${strategy} gives the gateway itself no credential`;
    return new BackendError(backend, 'unauthenticated', text, status);
  }
  if (owner === 'caller' && status === 401) {
    const text = `refused the credential of the caller by ${strategy} ${http}; log in again`;
    return new BackendError(backend, 'login_required', text, status);
  }
  const whose = owner === 'caller' ? 'of the caller' : 'of the gateway';
  const fix =
    owner === 'caller' ? 'check the permissions of the caller there' : 'check the credential and its permissions there';
  return new BackendError(
    backend,
    'unauthenticated',
    `refused the credential ${whose} by ${strategy} ${http}; ${fix}`,
    status,
  );
}

export function createProtocolError(backend: string, message: string): BackendError {
  return new BackendError(backend, 'protocol_error', message);
}

/**
 * The failure of a backend that shares no revision with the gateway.
 * @param revisions the revisions that the backend lists
 */
export function createUnsupportedRevisions(backend: string, revisions: readonly string[] = []): BackendError {
  const shown = revisions.slice(0, 5).map(revision => JSON.stringify(revision.slice(0, 40)));
  return createProtocolError(backend, `speaks other revisions of MCP: ${shown.join(', ') || 'none'}`);
}

export function createTimeout(backend: string, timeoutMs: number): BackendError {
  return new BackendError(backend, 'timeout', `did not answer within ${formatDuration(timeoutMs)}`);
}

/** The failure of a call that the gateway did not send, because no turn came within the call's time limit. */
export function createBusyError(backend: string, waitedMs: number): BackendError {
  return new BackendError(backend, 'busy', `the limit of concurrent calls was reached for ${formatDuration(waitedMs)}`);
}

/** Whether the gateway did not send a call because a limit was reached: that says nothing about the backend. */
export function isBusyFailure(error: unknown): boolean {
  return error instanceof BackendError && error.reason === 'busy';
}

/** The failure of a call that the gateway did not send, because too many calls already wait for clients or tasks. */
export function createTooManyWaiting(backend: string): BackendError {
  return new BackendError(backend, 'busy', 'too many calls wait for tasks or for answers of clients');
}

/** The failure of a call that the gateway did not send, because it already stores as much text of other calls as it may. */
export function createTooMuchText(backend: string): BackendError {
  return new BackendError(backend, 'busy', 'too many calls of this size are under way');
}

export function createTooLarge(backend: string): BackendError {
  return new BackendError(backend, 'too_large', 'the answer is larger than allowed');
}

export function createAborted(backend: string): BackendError {
  return new BackendError(backend, 'aborted', 'the request was abandoned');
}

export function createClientStalled(backend: string): BackendError {
  return new BackendError(backend, 'aborted', 'no client reads the response any more');
}

export function createSessionClosed(backend: string): BackendError {
  return new BackendError(backend, 'aborted', 'the session is closed');
}

function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
