/** On whose behalf the gateway sends something to a backend. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type GatewayBundle, isHeaderValue } from '#schemas';
import { type AuthGeneration, LASTING_RULES } from '../../auth/auth-generation.ts';
import { ANONYMOUS, type Identity } from '../../auth/identity.ts';
import type { MessageContext } from '../../mcp/handler.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { CapabilitySet } from '../callers/capability-set.ts';

/** A caller, as of its latest request. */
export interface Sender {
  readonly identity: Identity;
  readonly passed: ForwardedHeaders;
  /** By which they were let in. */
  readonly rules: AuthGeneration;
  /** What it has announced that it can do, where backends may offer more or less by that. */
  readonly capabilitySet?: CapabilitySet | undefined;
}

type PassingPlan = Pick<GatewayBundle, 'passthroughHeaders'>;

/** Headers of a client's request that are handed on to backends, by name in lower case. */
export type ForwardedHeaders = Readonly<Record<string, string>>;

export const NO_HEADERS: ForwardedHeaders = {};

/** For requests of the gateway itself. */
export const NOBODY: Sender = { identity: ANONYMOUS, passed: NO_HEADERS, rules: LASTING_RULES };

/**
 * Those headers of a request that a bundle hands on; all others stay here.
 *
 * @param names in lower case
 * @throws WireError with HTTP 400 for a value that no header may have
 */
export function selectForwardedHeaders(names: readonly string[], received: IncomingHttpHeaders): ForwardedHeaders {
  if (names.length === 0) return NO_HEADERS;
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = received[name];
    // Node joins what came several times; what it keeps apart is `set-cookie`, which no request has.
    if (typeof value !== 'string') continue;
    if (!isHeaderValue(value)) {
      throw new WireError(WIRE_CODE.invalidRequest, `the header ${name} has a control character in its value`);
    }
    passed[name] = value;
  }
  return passed;
}

/** Who sends a request, as far as it concerns backends. Throws as `selectForwardedHeaders`. */
export function createSender(
  { http, identity, rules }: MessageContext,
  { passthroughHeaders }: PassingPlan,
  capabilitySet?: CapabilitySet,
): Sender {
  return { identity, passed: selectForwardedHeaders(passthroughHeaders, http.headers), rules, capabilitySet };
}

/**
 * Checks a request that had to wait: a bundle that came meanwhile may no longer admit its sender.
 *
 * @throws WireError when callers are admitted by other rules now
 */
export function requireCurrentAuth({ rules }: Sender): void {
  if (!rules.areReplaced) return;
  throw new WireError(WIRE_CODE.refused, 'callers are let in by other rules now; send the request again');
}

const keys = new WeakMap<Sender, string>();

/** Equal for requests that one session with a backend may serve: of one caller, with the same headers handed on. */
export function getSessionKey(sender: Sender): string {
  const { identity, passed } = sender;
  if (passed === NO_HEADERS) return identity.key;
  let key = keys.get(sender);
  if (key === undefined) {
    key = keyWith(identity.key, Object.entries(passed));
    keys.set(sender, key);
  }
  return key;
}

/** Equal for requests whose senders a backend offers the same: as `getSessionKey`, of clients that announce the same. */
export function getListKey(sender: Sender): string {
  const key = getSessionKey(sender);
  return sender.capabilitySet === undefined ? key : `${key} ${sender.capabilitySet.key}`;
}

function keyWith(key: string, headers: readonly (readonly [string, string])[]): string {
  if (headers.length === 0) return key;
  return `${key} ${createHash('sha256').update(JSON.stringify(headers)).digest('base64url')}`;
}
