/**
 * Detects a backend's MCP era with `server/discover`, which only the stateless revision has.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
 */
import { BackendError } from '../../../mcp/backend-error.ts';
import { OURSELVES } from '../../../mcp/client-traits.ts';
import { STATELESS_REVISION } from '../../../mcp/protocol-revisions.ts';
import type { BackendIdentity } from '../backend.ts';
import { collect } from '../collect.ts';
import type { BackendContext, SentCredential } from '../context.ts';
import { createUnsupportedRevisions, isBusyFailure, isCallerError } from '../failure.ts';
import { ACCEPTED_REVISIONS } from '../handshake.ts';
import { PostCall } from '../http/post-call/post-call.ts';
import { StreamableHttpSession } from '../http/streamable-http.ts';
import { isJsonRpc } from '../messages/response-body.ts';
import { isModernCode, RpcError, readSupportedRevisions, UNSUPPORTED_REVISION } from '../rpc-error.ts';
import { SessionReplay } from '../session-replay.ts';
import { SseStream } from '../sse/sse-stream.ts';
import {
  discoverRequest,
  MAX_DISCOVERY_BYTES,
  readBackendIdentity,
  readSupportedVersions,
} from '../stateless/discover.ts';
import { buildStatelessHeaders } from '../stateless/request-headers.ts';
import { buildRequestMeta } from '../stateless/request-meta.ts';
import type { EraProbeResult } from './era.ts';

/** Older backends may leave an unknown method unanswered: default timeout of each probe in milliseconds. */
export const PROBE_MS = 3_000;

/**
 * The status with which an HTTP+SSE server refuses a POST to its URL.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
const NO_POST_HERE: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * One probe; two for a stateless backend, because only `initialize` shows whether it also has sessions, and for a probable HTTP+SSE backend.
 * Without evidence for another era the backend counts as one with sessions, which `initialize` then verifies.
 *
 * @throws BackendError when the backend is unreachable or shares no revision with the gateway
 */
export async function detectEra(context: BackendContext): Promise<EraProbeResult> {
  const patient = toProbeContext(context);
  const answer = await discover(patient);
  if ('result' in answer) {
    return withSessions(
      patient,
      toResultOfVersions(context.backend, readSupportedVersions(answer.result), answer.result),
    );
  }
  if (answer.error instanceof RpcError) return withSessions(patient, toResultOfError(context.backend, answer.error));
  if (isFinal(context, answer.error)) throw answer.error;
  const { refusal } = answer;
  const mayBeSse = refusal !== undefined && NO_POST_HERE.has(refusal.status) && !isJsonRpc(refusal.body);
  if (mayBeSse && (await hasEndpoint(patient))) return { era: 'sse' };
  return { era: 'session', isGuess: isAboutNow(answer.error) };
}

/** Whether a backend that does not answer `server/discover` opens a session. */
export async function opensSession(context: BackendContext): Promise<boolean> {
  const patient = toProbeContext(context);
  const session = createProbeSession(patient);
  try {
    await session.open();
    return true;
  } catch {
    return false;
  } finally {
    void session.close();
  }
}

function toProbeContext(context: BackendContext): BackendContext {
  return { ...context, timeoutMs: Math.min(context.timeoutMs, context.eraProbeMs ?? PROBE_MS) };
}

async function withSessions(context: BackendContext, probed: EraProbeResult): Promise<EraProbeResult> {
  if (probed.era !== 'stateless') return probed;
  return { ...probed, inSessions: await probeInSessions(context) };
}

/**
 * The backend's answer to `initialize`: null when it opens no session, undefined when that is currently unknown. A session without an id
 * does not count: servers that handle each request independently return no id, and cannot match answers to their questions.
 */
async function probeInSessions(context: BackendContext): Promise<BackendIdentity | null | undefined> {
  const session = createProbeSession(context);
  try {
    const identity = await session.open();
    return session.isOpen ? identity : null;
  } catch (error) {
    return isAboutNow(error) || isCallerError(error) || isBusyFailure(error) ? undefined : null;
  } finally {
    void session.close();
  }
}

function createProbeSession(context: BackendContext): StreamableHttpSession {
  return new StreamableHttpSession({ ...context, caller: OURSELVES }, new SessionReplay());
}

/** A response with an error status. */
interface Refusal {
  readonly status: number;
  readonly body: Buffer | undefined;
}

type DiscoverResponse =
  | { readonly result: unknown }
  | { readonly error: unknown; readonly refusal: Refusal | undefined };

async function discover(context: BackendContext): Promise<DiscoverResponse> {
  let refusal: Refusal | undefined;
  const owner = {
    sessionLost() {},
    timedOut() {},
    refused() {},
    settled() {},
    rejected(_call: PostCall, status: number, body: Buffer | undefined) {
      refusal = { status, body };
      return false;
    },
  };
  const request = discoverRequest(buildRequestMeta(context));
  let late: NodeJS.Timeout | undefined;
  try {
    const result = await collect(context.backend, request, { maxBytes: MAX_DISCOVERY_BYTES }, (sent, sink) => {
      const call = new PostCall(context, sent, sink, owner);
      // A stream that only sends keep-alives must not be waited for either.
      late = setTimeout(() => call.timedOut(), 2 * context.timeoutMs);
      call.send({ id: undefined, headers: buildStatelessHeaders(context, sent) });
    });
    return { result };
  } catch (error) {
    return { error, refusal };
  } finally {
    clearTimeout(late);
  }
}

/** Whether an error is about the present state of the backend and not about its era. */
function isAboutNow(error: unknown): boolean {
  const { reason, httpStatus = 0 } = error as BackendError;
  return reason === 'timeout' || reason === 'aborted' || httpStatus >= 500 || httpStatus === 429;
}

/** Whether no other request would succeed either. */
function isFinal({ credential }: BackendContext, error: unknown): boolean {
  if (!(error instanceof BackendError)) return true;
  return (
    error.reason === 'connection_failed' ||
    error.reason === 'address_refused' ||
    isBusyFailure(error) ||
    wantsCredentials(credential, error)
  );
}

/**
 * Whether a refusal means that the server requires credentials. A server may refuse what it does not know; one that requires credentials refuses
 * everything without them.
 */
function wantsCredentials({ strategy }: SentCredential, error: unknown): boolean {
  return isCallerError(error) && ((error as BackendError).httpStatus !== 403 || strategy !== 'unauthenticated');
}

function toResultOfError(backend: string, error: RpcError): EraProbeResult {
  if (error.code === UNSUPPORTED_REVISION) return toResultOfVersions(backend, readSupportedRevisions(error.data));
  return { era: isModernCode(error.code) ? 'stateless' : 'session' };
}

function toResultOfVersions(
  backend: string,
  versions: readonly string[] | undefined,
  result?: unknown,
): EraProbeResult {
  // A result without revisions proves nothing: some servers with sessions answer any method.
  if (versions === undefined) return { era: 'session' };
  if (versions.includes(STATELESS_REVISION)) {
    return result === undefined ? { era: 'stateless' } : { era: 'stateless', identity: readBackendIdentity(result) };
  }
  if (versions.some(version => ACCEPTED_REVISIONS.includes(version))) return { era: 'session' };
  throw createUnsupportedRevisions(backend, versions);
}

/**
 * Whether the backend offers a stream of HTTP+SSE.
 * @throws BackendError when the backend requires credentials for that stream: a POST would be refused for another reason
 */
async function hasEndpoint(context: BackendContext): Promise<boolean> {
  const stream = new SseStream(context, { onMessage() {}, onLost() {} });
  try {
    await stream.endpoint;
    return true;
  } catch (error) {
    if (wantsCredentials(context.credential, error)) throw error;
    return false;
  } finally {
    stream.close();
  }
}
