import { expect, test } from 'vitest';
import { isImmutable, toReconcileError } from '../../../controller/apply/api-error.ts';
import { createResponseError } from '../../../controller/kube/kube-error.ts';

const KEY = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'mcp', name: 'eng' };
const POLICY = "ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: the image may not change";
const WEBHOOK = 'admission webhook "images.example.com" denied the request: field is immutable';
const CHANGE = 'change the spec so that the policy allows the object, or have the policy changed';
const QUOTA = 'configmaps "a" is forbidden: exceeded quota: few';

function answered(status: number, message: string) {
  const details = { causes: [{ message }] };
  return createResponseError('apply', status, JSON.stringify({ kind: 'Status', message, details }), undefined);
}

// Policies and webhooks choose the status code of their denial.
test.each([
  [422, `deployments.apps "eng" is forbidden: ${POLICY}`, 'PolicyDenied', 'stalled', `${POLICY}; ${CHANGE}`],
  [403, `deployments.apps "eng" is forbidden: ${POLICY}`, 'PolicyDenied', 'stalled', `${POLICY}; ${CHANGE}`],
  [403, WEBHOOK, 'PolicyDenied', 'stalled', `${WEBHOOK}; ${CHANGE}`],
  [422, WEBHOOK, 'PolicyDenied', 'stalled', `${WEBHOOK}; ${CHANGE}`],
  [429, WEBHOOK, 'PolicyDenied', 'retry', `${WEBHOOK}; ${CHANGE}`],
  [
    403,
    QUOTA,
    'PolicyDenied',
    'retry',
    `apply: ${QUOTA}; the controller tries again: raise the quota, or delete objects that count against it`,
  ],
  [500, 'it is down', 'ProgressingWithRetry', 'retry', 'apply: it is down'],
] as const)(
  'the source status has the reason and the remedy for an answer of the API server: %d %s',
  (status, said, reason, next, message) => {
    const error = answered(status, said);
    const whole = `Deployment mcp/eng (eng.yaml:2): ${message}`;
    expect(toReconcileError(error, { key: KEY, origin: 'eng.yaml:2' })).toMatchObject({ reason, next, message: whole });
    expect(isImmutable(error)).toBe(false);
  },
);

test('an error about an immutable field does not count as a denial by a policy', () => {
  expect(isImmutable(answered(422, 'spec.selector: field is immutable'))).toBe(true);
});
