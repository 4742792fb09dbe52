import { expect, test } from 'vitest';
import { InSessionsError, OtherEraError, WithoutSessionsError } from '../../../runtime/gateway/backends/failure.ts';
import type { AttemptOutcome } from '../../../runtime/gateway/backends/health/circuit-breaker.ts';
import { classifyFailure, classifyStatus } from '../../../runtime/gateway/backends/health/outcome.ts';
import { BackendError, type BackendFailure } from '../../../runtime/mcp/backend-error.ts';

/** Every reason without an HTTP status. */
const OF_REASON: { readonly [reason in BackendFailure]: AttemptOutcome } = {
  connection_failed: 'failure',
  timeout: 'failure',
  busy: 'neither',
  circuit_open: 'neither',
  unauthenticated: 'neither',
  login_required: 'neither',
  http_error: 'neither',
  protocol_error: 'neither',
  too_large: 'neither',
  address_refused: 'neither',
  aborted: 'neither',
};

test.each(Object.entries(OF_REASON))(
  'the circuit breaker judges the failure %s of a request without an HTTP status as %s',
  (reason, outcome) => {
    expect(classifyFailure(new BackendError('b', reason as BackendFailure, 'x'))).toBe(outcome);
  },
);

test.each<[reason: BackendFailure, status: number, outcome: AttemptOutcome]>([
  ['unauthenticated', 401, 'success'],
  ['login_required', 401, 'success'],
  ['unauthenticated', 403, 'success'],
  ['http_error', 404, 'success'],
  ['http_error', 429, 'success'],
  ['http_error', 302, 'success'],
  ['http_error', 500, 'failure'],
  ['http_error', 503, 'failure'],
])('the circuit breaker judges the failure %s of a request with HTTP status %i as %s', (reason, status, outcome) => {
  expect(classifyFailure(new BackendError('b', reason, 'x', status))).toBe(outcome);
  expect(classifyStatus(status)).toBe(outcome);
});

test('the circuit breaker counts an answer without a status, such as the error of a tool, as a success', () => {
  expect(classifyStatus(undefined)).toBe('success');
});

test.each([OtherEraError, InSessionsError, WithoutSessionsError])(
  'the circuit breaker does not count %s, since the gateway sends the request again in another way',
  error => {
    expect(classifyFailure(new error('b'))).toBe('neither');
  },
);
