/** Formats audit records, each as one JSON object on one line. */

import { randomUUID } from 'node:crypto';
import { isObject } from '#schemas';
import type { Identity } from '../../auth/identity.ts';
import type { WorkflowEvent } from '../../mcp/request-record.ts';
import { type ResponseError, TOOL_ERROR } from '../requests/response-error.ts';
import { toVisibleJson } from '../visible-text.ts';
import type { AuditRecord } from './audit-record.ts';
import { classifyTarget } from './event-type.ts';
import { type RecordedData, toRecordedText, truncate, withoutSecret } from './recorded-data.ts';

/** Limits on texts that callers and backends choose, in bytes. */
const MAX_NAME = 1024;
const MAX_HEADER = 512;
const MAX_MESSAGE = 256;

export type AuditOutcome = 'success' | 'denied' | 'failure' | 'error' | 'application_error';

/** The data of an ended request, which later events do not change. */
export interface EndedRecord
  extends Pick<
    AuditRecord,
    | 'settings'
    | 'req'
    | 'peer'
    | 'type'
    | 'envelope'
    | 'question'
    | 'identity'
    | 'traits'
    | 'decision'
    | 'backend'
    | 'originalName'
    | 'limitedBy'
    | 'responseBytes'
    | 'errorCode'
    | 'errorMessage'
    | 'failure'
    | 'ending'
    | 'status'
    | 'secret'
  > {
  readonly answerError: Pick<ResponseError, 'type' | 'value'> | undefined;
  readonly data: object | undefined;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly durationMs: number;
}

export function toEndedRecord(record: AuditRecord): EndedRecord {
  const { settings, req, peer, type, envelope, question, identity, traits, decision, backend, originalName } = record;
  const { limitedBy, responseBytes, errorCode, errorMessage, failure, ending, status, secret, answerError } = record;
  return {
    settings,
    req,
    peer,
    type,
    envelope,
    question,
    identity,
    traits,
    decision,
    backend,
    originalName,
    limitedBy,
    responseBytes,
    errorCode,
    errorMessage,
    failure,
    ending,
    status,
    secret,
    answerError: answerError && { type: answerError.type, value: answerError.value },
    data: buildData(record, secret),
    endedAt: Date.now(),
    durationMs: performance.now() - record.startedAt,
  };
}

export function recordText(record: EndedRecord): string {
  const { secret } = record;
  const text = JSON.stringify({
    level: 'AUDIT',
    msg: 'audit_event',
    audit_id: randomUUID(),
    type: record.type,
    logged_at: new Date(record.endedAt).toISOString(),
    outcome: determineOutcome(record),
    component: record.settings.plan.component,
    source: buildSource(record),
    subjects: buildSubjects(record),
    delegation: buildDelegation(record),
    target: buildTarget(record),
    metadata: { extra: buildExtra(record) },
    data: record.data,
  });
  return toVisibleJson(withoutSecret(text, secret));
}

/** The members of a record that describe the sender of a request. */
export interface RecordOrigin extends Pick<AuditRecord, 'secret' | 'settings'> {
  readonly source: object;
  readonly subjects: object;
  readonly delegation: object | undefined;
}

export function describeOrigin(record: AuditRecord): RecordOrigin {
  const { secret, settings } = record;
  return {
    source: buildSource(record),
    subjects: buildSubjects(record),
    delegation: buildDelegation(record),
    secret,
    settings,
  };
}

/** The sender of a request in a form that may be kept longer than the request, and therefore without a credential. */
export function toRecordOrigin(record: AuditRecord): RecordOrigin {
  const { secret, settings, ...parts } = describeOrigin(record);
  return { ...JSON.parse(withoutSecret(JSON.stringify(parts), secret)), secret: undefined, settings };
}

/**
 * The text of a request's event, with the caller as in the record of the request.
 * @param now milliseconds since 1970
 */
export function formatEvent(
  origin: RecordOrigin,
  { type, outcome, target, extra }: WorkflowEvent,
  now: number,
): string {
  const { source, subjects, delegation, secret, settings } = origin;
  const text = JSON.stringify({
    level: 'AUDIT',
    msg: 'audit_event',
    audit_id: randomUUID(),
    type,
    logged_at: new Date(now).toISOString(),
    outcome,
    component: settings.plan.component,
    source,
    subjects,
    delegation,
    target,
    metadata: { extra: { ...extra, bundle_digest: settings.digest } },
  });
  return toVisibleJson(withoutSecret(text, secret));
}

/** The outcome of a request. A request that policies deny counts as denied, even if its answer does not show that. */
export function determineOutcome(record: EndedRecord): AuditOutcome {
  const { decision, status, ending, limitedBy, answerError, errorCode, failure, settings } = record;
  if (decision?.isPermitted === false) return 'denied';
  if (limitedBy !== undefined || ending !== undefined) return 'failure';
  if (status === 401 || status === 403) return 'denied';
  if (status !== undefined && status >= 500) return 'error';
  if (status !== undefined && status >= 400) return 'failure';
  if (!settings.plan.detectApplicationErrors) return 'success';
  const hasError = errorCode !== undefined || failure !== undefined || answerError?.value !== undefined;
  return hasError ? 'application_error' : 'success';
}

function buildSource({ req, peer }: Pick<EndedRecord, 'req' | 'peer'>): object {
  const { headers } = req;
  const forwarded =
    readHeader(headers['x-forwarded-for'])?.split(',')[0]?.trim() || readHeader(headers['x-real-ip'])?.trim();
  const header = (name: string) => {
    const value = readHeader(headers[name]);
    return value === undefined ? undefined : truncate(value, MAX_HEADER);
  };
  return {
    type: 'network',
    value: forwarded ? truncate(forwarded, MAX_HEADER) : peer,
    extra: {
      user_agent: header('user-agent'),
      request_id: header('x-request-id'),
      // The address of the other end of the connection. Headers such as `X-Forwarded-For` are not used.
      peer_address: forwarded ? peer : undefined,
    },
  };
}

function buildSubjects({ identity, traits }: Pick<EndedRecord, 'identity' | 'traits'>): object {
  const caller = identity?.caller;
  const claim = (name: string) => claimText(caller?.claims[name]);
  const client = toObject(traits?.clientInfo);
  return {
    user:
      caller === undefined
        ? 'anonymous'
        : (claim('name') ?? claim('preferred_username') ?? claim('email') ?? truncate(caller.subject, MAX_NAME)),
    user_id: caller === undefined ? undefined : truncate(caller.subject, MAX_NAME),
    issuer: caller?.issuer,
    client_name: claimText(client?.name),
    client_version: claimText(client?.version),
  };
}

/** The delegation to the user's actors: the chain of `act` claims (RFC 8693, section 4.1), the current actor first. */
function buildDelegation({ identity, settings }: Pick<EndedRecord, 'identity' | 'settings'>): object | undefined {
  const chain: object[] = [];
  let actor = toActor(identity);
  while (actor !== undefined && chain.length < settings.plan.maxDelegationDepth) {
    chain.push({ subject: claimText(actor.sub), issuer: claimText(actor.iss), client_id: claimText(actor.client_id) });
    actor = toObject(actor.act);
  }
  if (chain.length === 0) return undefined;
  return { chain, is_cut: actor === undefined ? undefined : true };
}

function toActor(identity: Identity | undefined): Claims | undefined {
  return toObject(identity?.caller?.claims.act);
}

function buildTarget({ type: event, question, envelope, req, originalName }: EndedRecord): object {
  const endpoint = truncate(req.url?.split('?', 1)[0] ?? '', MAX_NAME);
  if (question !== undefined) {
    const { registry, server, version } = question;
    return {
      path: endpoint,
      method: req.method,
      resource_type: 'server',
      resource_name: server === undefined ? undefined : formatName(server),
      registry_name: registry,
      version: version === undefined ? undefined : formatName(version),
    };
  }
  if (envelope === undefined) {
    return { endpoint, method: req.method, type: event === 'sse_connection' ? 'sse_endpoint' : 'endpoint' };
  }
  const { method, kind } = envelope;
  const type = classifyTarget(method);
  const member =
    type === 'resource'
      ? envelope.uri
      : type === 'endpoint'
        ? (envelope.ref?.name ?? envelope.ref?.uri)
        : envelope.name;
  const name = member?.value === undefined ? undefined : formatName(member.value);
  return {
    endpoint,
    method: kind === 'response' ? 'response' : truncate(method, MAX_NAME),
    name,
    original_name: originalName === undefined || member === undefined ? undefined : formatName(originalName),
    type,
  };
}

function buildExtra(record: EndedRecord): object {
  const { settings, durationMs, answerError, decision, errorCode, errorMessage } = record;
  const { detectApplicationErrors, includeResponseData } = settings.plan;
  const { url = '' } = record.req;
  // The message of a backend's error is only recorded with response data, because it may quote the arguments.
  const backendMessage = includeResponseData ? readMessage(answerError?.value) : undefined;
  const message = errorMessage ?? backendMessage;
  return {
    duration_ms: Math.round(durationMs * 1000) / 1000,
    transport: url.startsWith('/sse') || url.startsWith('/messages') ? 'sse' : 'http',
    http_status: record.status,
    response_size_bytes: record.responseBytes,
    backend_name: record.backend,
    bundle_digest: settings.digest,
    policy_decision: decision === undefined ? undefined : decision.isPermitted ? 'permit' : 'deny',
    deciding_policies: decision?.policies,
    rate_limited_by: record.limitedBy,
    tool_error: answerError?.type === TOOL_ERROR ? true : undefined,
    ended: record.ending,
    backend_failure: record.failure,
    jsonrpc_error_code: detectApplicationErrors ? (errorCode ?? readCode(answerError)) : undefined,
    jsonrpc_error_message:
      detectApplicationErrors && message !== undefined
        ? truncate(withoutSecret(message, record.secret), MAX_MESSAGE)
        : undefined,
  };
}

function readCode(error: EndedRecord['answerError']): number | undefined {
  return error?.value !== undefined && /^-?\d+$/.test(error.type) ? Number(error.type) : undefined;
}

/** The message of an error whose JSON text may be truncated. */
function readMessage(error: string | undefined): string | undefined {
  const text = /"message"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(error ?? '')?.[1];
  if (text === undefined) return undefined;
  // The text may end within an escape, or between the two halves of a surrogate pair.
  for (const cut of [text, text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')]) {
    try {
      return (JSON.parse(`"${cut}"`) as string).toWellFormed();
    } catch {}
  }
  return undefined;
}

function buildData({ envelope, response, settings }: AuditRecord, secret: string | undefined): object | undefined {
  const { includeRequestData, includeResponseData, maxDataBytes } = settings.plan;
  const request =
    includeRequestData && envelope !== undefined ? toRecordedText(envelope.text, maxDataBytes, secret) : undefined;
  const answer = includeResponseData ? response?.keep(maxDataBytes, secret) : undefined;
  if (request === undefined && answer === undefined) return undefined;
  return { ...toMembers('request', request), ...toMembers('response', answer) };
}

function toMembers(name: 'request' | 'response', recorded: RecordedData | undefined): object {
  if (recorded === undefined) return {};
  return { [name]: recorded.text, ...(recorded.isCut && { [`${name}_cut`]: { bytes: recorded.bytes } }) };
}

/** The name without a password, which a URI may contain. */
function formatName(name: string): string {
  return truncate(name.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1[redacted]@'), MAX_NAME);
}

type Claims = Readonly<Record<string, unknown>>;

function toObject(value: unknown): Claims | undefined {
  return isObject(value) ? value : undefined;
}

function claimText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? truncate(value, MAX_NAME) : undefined;
}

function readHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
