/** Errors of the API server, classified by how to handle them. */

/**
 * - `notFound`: the object does not exist (404); with {@link KubeError.isUnserved} the type is unknown
 * - `conflict`: another client wrote first, or another manager owns the fields (409): read the object again
 * - `alreadyExists`: the name is taken (409 of a creation)
 * - `unauthorized`: unknown credentials (401)
 * - `forbidden`: RBAC or admission refuses (403)
 * - `gone`: a resourceVersion or continue token is too old (410): list again
 * - `invalid`: the same call always fails (400, 405, 413, 415, 422): a person has to change something
 * - `tooManyRequests`: retry later (429)
 * - `unavailable`: retry later (5xx, timeouts, no connection)
 * - `unexpected`: a response that no API server gives
 */
export type KubeFailure =
  | 'notFound'
  | 'conflict'
  | 'alreadyExists'
  | 'unauthorized'
  | 'forbidden'
  | 'gone'
  | 'invalid'
  | 'tooManyRequests'
  | 'unavailable'
  | 'unexpected';

/** One entry of `details.causes` of a Status. */
export interface KubeCause {
  /** Such as `FieldValueInvalid` or `FieldManagerConflict`. */
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export interface KubeErrorDetails {
  readonly failure: KubeFailure;
  /** The call, such as `apply Deployment ns/name`. */
  readonly call: string;
  readonly status?: number | undefined;
  /** The reason in the Status, such as `NotFound`; empty without one. */
  readonly reason?: string | undefined;
  readonly causes?: readonly KubeCause[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isUnserved?: boolean | undefined;
  /** The ServiceAccount as which the call was made, if it was not the caller's own identity. */
  readonly account?: ServiceAccountName | undefined;
  /** Whether the request was not executed, so that sending it again is safe. */
  readonly isUnsent?: boolean | undefined;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** A failed call. The message has the call and the reason, for people. */
export class KubeError extends Error {
  readonly code = 'ERR_KUBE_API';
  readonly failure: KubeFailure;
  readonly call: string;
  /** The status code; undefined without a response. */
  readonly status: number | undefined;
  readonly reason: string;
  readonly causes: readonly KubeCause[];
  /** The wait that the server requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the API server does not have the type, because its CustomResourceDefinition is not installed. */
  readonly isUnserved: boolean;
  readonly isUnsent: boolean;
  readonly account: ServiceAccountName | undefined;

  constructor(message: string, details: KubeErrorDetails, options?: ErrorOptions) {
    super(`${details.call}: ${message}`, options);
    this.name = 'KubeError';
    this.failure = details.failure;
    this.call = details.call;
    this.status = details.status;
    this.reason = details.reason ?? '';
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.isUnserved = details.isUnserved ?? false;
    this.isUnsent = details.isUnsent ?? false;
    this.account = details.account;
  }

  /** Whether the same call may succeed later without any change. */
  get isTransient(): boolean {
    return this.failure === 'tooManyRequests' || this.failure === 'unavailable';
  }
}

/**
 * Explains a call that failed because the caller may not impersonate the account, and what to do; undefined for other refusals. The API server
 * says `cannot impersonate resource "serviceaccounts"`, and from 1.36 on `cannot impersonate-on:serviceaccount:get resource "secrets"`, which
 * names neither the account nor the missing right.
 */
export function findImpersonationRefusal({ failure, message, account }: KubeError): string | undefined {
  if (failure !== 'forbidden' || account === undefined) return undefined;
  const user = /User "([^"]+)" cannot impersonate\b/.exec(message)?.[1];
  if (user === undefined) return undefined;
  const { namespace, name } = account;
  const rule = { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [name], verbs: ['impersonate'] };
  return `${user} may not act as ServiceAccount ${namespace}/${name}: give it a Role in namespace ${namespace} with the rule ${JSON.stringify(rule)}`;
}

/** Maximum length of a message from a response, in characters. */
const MAX_MESSAGE_CHARACTERS = 2_000;

/** The API server itself only says `Unauthorized`. */
const UNAUTHORIZED =
  'the API server does not accept the credentials of the controller: renew the token or the client certificate of the kubeconfig, or check whether the ServiceAccount of the pod still exists';

/** An error from a `Status` object (`meta/v1`), or from another response. */
export function createResponseError(
  call: string,
  status: number,
  body: string,
  retryAfter: string | undefined,
  nowMs: number = Date.now(),
  account?: ServiceAccountName,
): KubeError {
  const statusObject = parseStatus(body);
  const reason = typeof statusObject?.reason === 'string' ? statusObject.reason : '';
  const text = typeof statusObject?.message === 'string' ? statusObject.message : `HTTP ${status} ${body.trim()}`;
  const said = text.length > MAX_MESSAGE_CHARACTERS ? `${text.slice(0, MAX_MESSAGE_CHARACTERS)}…` : text;
  const message = status === 401 ? `${said}; ${UNAUTHORIZED}` : said;
  const seconds = statusObject?.details?.retryAfterSeconds;
  return new KubeError(message, {
    failure: toFailure(status, reason),
    call,
    status,
    reason,
    causes: readCauses(statusObject?.details?.causes),
    retryAfterMs: parseRetryAfterMs(retryAfter, nowMs) ?? (typeof seconds === 'number' ? seconds * 1_000 : undefined),
    isUnserved:
      status === 404 && (statusObject === undefined || message === 'the server could not find the requested resource'),
    // The API server checks its own rate limits before it executes a request.
    isUnsent: status === 429,
    account,
  });
}

interface StatusText {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly causes?: unknown; readonly retryAfterSeconds?: unknown };
}

function parseStatus(body: string): StatusText | undefined {
  try {
    const value = JSON.parse(body) as { kind?: unknown } | null;
    return value?.kind === 'Status' ? (value as StatusText) : undefined;
  } catch {
    return undefined;
  }
}

function readCauses(causes: unknown): readonly KubeCause[] {
  if (!Array.isArray(causes)) return [];
  return causes.slice(0, 100).map((cause: Partial<Record<keyof KubeCause, unknown>> | null) => ({
    reason: String(cause?.reason ?? ''),
    message: String(cause?.message ?? ''),
    field: String(cause?.field ?? ''),
  }));
}

function toFailure(status: number, reason: string): KubeFailure {
  if (status === 404) return 'notFound';
  if (status === 409) return reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 410) return 'gone';
  if (status === 429) return 'tooManyRequests';
  if (status === 408 || status >= 500) return 'unavailable';
  if (status >= 400) return 'invalid';
  return 'unexpected';
}

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function parseRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
