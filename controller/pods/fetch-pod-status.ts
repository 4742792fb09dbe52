/**
 * Asks a pod which bundle it serves and how its backends are. The response is untrusted: a hung process, another program, a pod that a person
 * created.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Dispatcher } from 'undici';
import type { PodBackend } from './report.ts';

/** The part of the runtime's `/status` that the controller reads. */
export interface PodStatusPage {
  readonly digest: string;
  /** Why the pod refused the newest bundle; null when it did not. */
  readonly refused: string | null;
  /** Whether requests fail because a backend is unavailable and `partialFailureMode` is `fail`. */
  readonly failsRequests: boolean;
  /** The pod's backends; empty for a registry server. */
  readonly backends: readonly PodBackend[];
}

/** A pod did not answer; the message is for people. */
export class PodUnreachable extends Error {}

export interface FetchPodStatusOptions {
  readonly dispatcher: Dispatcher;
  readonly port: number;
  /** Timeout of the whole response; milliseconds. */
  readonly timeoutMs: number;
}

/** Maximum size of a status: far more than that of a gateway with a thousand backends. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Maximum length of a backend's message, in characters. */
const MAX_MESSAGE = 1_000;

/** @throws PodUnreachable */
export async function fetchPodStatus(
  ip: string,
  { dispatcher, port, timeoutMs }: FetchPodStatusOptions,
): Promise<PodStatusPage> {
  // A client that can write pod statuses must not make the controller resolve a host name.
  if (isIP(ip) === 0) throw new PodUnreachable(`the pod has no IP address: ${JSON.stringify(ip)}`);
  const origin = `http://${isIPv6(ip) ? `[${ip}]` : ip}:${port}`;
  const url = `${origin}/status`;
  // Not `AbortSignal.timeout`: its timer would outlive the response, for each of hundreds of pods.
  const late = new AbortController();
  const { signal } = late;
  const timer = setTimeout(() => late.abort(), timeoutMs);
  let text: string;
  try {
    // undici does not follow redirects by default.
    const { statusCode, body } = await dispatcher.request({
      origin,
      path: '/status',
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
    });
    if (statusCode !== 200) {
      body.on('error', () => {}).destroy();
      throw new PodUnreachable(`${url} answers with status ${statusCode}`);
    }
    text = await readBodyText(body, url);
  } catch (error) {
    if (error instanceof PodUnreachable) throw error;
    const why = signal.aborted ? `no answer within ${timeoutMs} ms` : describeCause(error);
    throw new PodUnreachable(`${url}: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return parseStatusPage(text, url);
}

async function readBodyText(body: Dispatcher.ResponseData['body'], url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (bytes > MAX_BYTES) throw new PodUnreachable(`${url} answers with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describeCause(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message || code || String(error);
}

function parseStatusPage(text: string, url: string): PodStatusPage {
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    throw new PodUnreachable(`${url} answers with something other than JSON`);
  }
  const { bundle, backends, partialFailure, healthy } = (page ?? {}) as {
    bundle?: { digest?: unknown; refused?: unknown };
    backends?: unknown;
    partialFailure?: unknown;
    healthy?: unknown;
  };
  if (typeof bundle?.digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(bundle.digest)) {
    throw new PodUnreachable(`${url} does not say which bundle it serves`);
  }
  return {
    digest: bundle.digest,
    refused: typeof bundle.refused === 'string' ? truncate(bundle.refused) : null,
    failsRequests: partialFailure === 'fail' && healthy === false,
    backends: Array.isArray(backends) ? backends.flatMap(entry => readBackend(entry) ?? []) : [],
  };
}

const STATUSES: readonly unknown[] = ['ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown'];

const CIRCUIT_STATES: readonly unknown[] = ['closed', 'open', 'half-open'];

/** Reads one backend of the status; undefined when it is invalid or has a status that this version does not know, from a later runtime. */
function readBackend(entry: unknown): PodBackend | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const {
    name,
    status,
    message,
    lastHealthCheck,
    consecutiveFailures,
    mcpRevision,
    circuitBreakerState,
    circuitLastChanged,
  } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return undefined;
  return {
    name,
    status: STATUSES.includes(status) ? (status as PodBackend['status']) : 'unknown',
    message: typeof message === 'string' ? truncate(message) : '',
    lastHealthCheck: isTime(lastHealthCheck) ? lastHealthCheck : null,
    consecutiveFailures: Number.isSafeInteger(consecutiveFailures) ? (consecutiveFailures as number) : 0,
    mcpRevision: typeof mcpRevision === 'string' ? truncate(mcpRevision) : null,
    circuitBreakerState: CIRCUIT_STATES.includes(circuitBreakerState)
      ? (circuitBreakerState as PodBackend['circuitBreakerState'])
      : null,
    circuitLastChanged: isTime(circuitLastChanged) ? circuitLastChanged : null,
  };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

function truncate(text: string): string {
  return (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text).toWellFormed();
}
