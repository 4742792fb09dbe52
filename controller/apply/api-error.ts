/** Advice about errors of the API server. */
import { ACCEPTED_API_GROUPS, API_GROUP } from '#schemas';
import { findImpersonationRefusal, KubeError } from '../kube/kube-error.ts';
import { formatKey } from '../kube/resource-path.ts';
import type { ObjectKey } from '../kube/types.ts';
import { ReconcileError } from '../reconcile/index.ts';
import { getApiGroup } from './identity.ts';

/** The attempted operation, for messages. */
export interface AttemptedOperation {
  readonly key: ObjectKey;
  /** The source: `file:line`, or the object from which it is derived. */
  readonly origin?: string | undefined;
}

/** Converts an error of the API server to a ReconcileError with advice; any other error (such as an abort) is returned unchanged. */
export function toReconcileError(error: unknown, attempt: AttemptedOperation): unknown {
  if (!(error instanceof KubeError)) return error;
  const what = `${formatKey(attempt.key)}${attempt.origin === undefined ? '' : ` (${attempt.origin})`}`;
  const fail = (...[reason, next, message]: ConstructorParameters<typeof ReconcileError>): ReconcileError =>
    new ReconcileError(reason, next, message, { cause: error });
  if (error.isUnserved) return fail('DependencyNotReady', 'retry', formatUnserved(attempt.key, what));
  const denied = DENIED.exec(error.message)?.[0];
  if (denied !== undefined) {
    const message = `${what}: ${denied}; change the spec so that the policy allows the object, or have the policy changed`;
    return fail('PolicyDenied', error.isTransient ? 'retry' : 'stalled', message);
  }
  switch (error.failure) {
    case 'notFound':
      return fail('DependencyNotReady', 'retry', `${what}: ${error.message}; create what is missing`);
    case 'forbidden':
      return createForbiddenError(error, what, fail);
    case 'unauthorized':
      return fail('PolicyDenied', 'retry', `${what}: the API server does not know the account: ${error.message}`);
    case 'invalid':
      return fail('DryRunFailed', 'stalled', `${what} is refused: ${formatCauses(error)}`);
    default:
      return fail('ProgressingWithRetry', 'retry', `${what}: ${error.message}${formatWebhookRemedy(error)}`);
  }
}

/** The wording of admission denials. The policy or webhook chooses the status: by default 422 for a policy, 403 for a webhook. */
const DENIED =
  /(ValidatingAdmissionPolicy '[^']+' with binding '[^']+' denied request|admission webhook "[^"]+" denied the request).*$/s;

/** Advice for an admission webhook that did not answer. */
function formatWebhookRemedy({ message }: KubeError): string {
  const webhook = /failed calling webhook "([^"]+)"/.exec(message)?.[1];
  return webhook === undefined ? '' : `; the controller tries again: check whether webhook ${webhook} answers`;
}

/** @throws the error of the call, converted by `toReconcileError` */
export async function mapApiError<T>(attempt: AttemptedOperation, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toReconcileError(error, attempt);
  }
}

/** Whether the change is impossible because a field is immutable. */
export function isImmutable(error: unknown): boolean {
  return (
    error instanceof KubeError &&
    error.status === 422 &&
    // A policy's message may also mention changes.
    !DENIED.test(error.message) &&
    /immutable|may not (be )?change|updates to statefulset spec/i.test(formatCauses(error))
  );
}

function formatCauses(error: KubeError): string {
  if (error.causes.length === 0) return error.message;
  return error.causes
    .map(cause => (cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`))
    .join('; ');
}

function formatUnserved({ apiVersion, kind }: ObjectKey, what: string): string {
  return `${what}: the cluster has no kind ${kind} of ${apiVersion}: ${installText(getApiGroup(apiVersion))}`;
}

function installText(group: string): string {
  if (group === API_GROUP) return 'install the CustomResourceDefinitions (`lintel schema crd` writes them)';
  if (ACCEPTED_API_GROUPS.includes(group)) return "install the CustomResourceDefinitions of ToolHive's operator";
  return 'install the API that has this kind';
}

type Fail = (...args: ConstructorParameters<typeof ReconcileError>) => ReconcileError;

/** The wording of RBAC errors: `User "u" cannot patch resource "deployments" in API group "apps" in the namespace "ns"`. */
const RBAC =
  /User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)"| at the cluster scope)?/;

function createForbiddenError(error: KubeError, what: string, fail: Fail): ReconcileError {
  // A refused impersonation affects all objects of the source.
  const refused = findImpersonationRefusal(error);
  if (refused !== undefined) return fail('PolicyDenied', 'stalled', refused);
  const [, user, verb, resource, group, namespace] = RBAC.exec(error.message) ?? [];
  if (user !== undefined && verb !== undefined && resource !== undefined && group !== undefined) {
    const location = namespace === undefined ? 'in the cluster' : `in namespace ${namespace}`;
    const role = namespace === undefined ? 'ClusterRole' : 'Role there';
    const rule = JSON.stringify({
      apiGroups: [group],
      resources: [resource],
      verbs: ['get', 'create', 'patch', 'delete'],
    });
    const whole = group === '' ? resource : `${resource}.${group}`;
    const message = `${what}: ${user} may not ${verb} ${whole} ${location}: give it a ${role} with the rule ${rule}`;
    return fail('PolicyDenied', 'stalled', message);
  }
  if (error.causes.some(cause => cause.reason === 'NamespaceTerminating')) {
    return fail(
      'DependencyNotReady',
      'retry',
      `${what}: its namespace is being deleted; create the namespace again once it is gone`,
    );
  }
  // A quota may have room again without a change of the repository.
  if (/exceeded quota/.test(error.message)) {
    return fail(
      'PolicyDenied',
      'retry',
      `${what}: ${error.message}; the controller tries again: raise the quota, or delete objects that count against it`,
    );
  }
  return fail('PolicyDenied', 'stalled', `${what}: ${error.message}`);
}

/**
 * Combines several errors: the first one, and the number of others. The first one is an error that a person has to fix, if there is one; other errors
 * may resolve themselves.
 */
export function combineErrors(errors: readonly unknown[]): unknown {
  const isStalled = (error: unknown): boolean => error instanceof ReconcileError && error.next === 'stalled';
  const first = errors.find(isStalled) ?? errors[0];
  if (errors.length < 2 || !(first instanceof ReconcileError)) return first;
  return new ReconcileError(first.reason, first.next, `${first.message} (+${errors.length - 1} more)`, {
    cause: first,
  });
}
