/** The sender of a request to a backend. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayBundle } from '#schemas';
import { isHeaderValue } from '#shared/plan';
import { type AuthGeneration, NEVER_SUPERSEDED } from '../../auth/auth-generation.ts';
import { ANONYMOUS, type Identity } from '../../auth/identity.ts';
import type { MessageContext } from '../../mcp/handler.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { CapabilitySet } from './capability-set.ts';

/** A caller, as of its latest request. */
export interface Sender {
  readonly identity: Identity;
  readonly passed: ForwardedHeaders;
  /** The rules that admitted the caller. */
  readonly rules: AuthGeneration;
  /** A key of the caller's announced capabilities, if backends may offer different lists for them. */
  readonly capabilitySet?: CapabilitySet | undefined;
}

type PassingPlan = Pick<GatewayBundle, 'passthroughHeaders'>;

/** Headers of a client's request that the gateway forwards to backends, by name in lower case. */
export type ForwardedHeaders = Readonly<Record<string, string>>;

export const NO_HEADERS: ForwardedHeaders = {};

/** The sender of the gateway's own requests. */
export const GATEWAY_SENDER: Sender = { identity: ANONYMOUS, passed: NO_HEADERS, rules: NEVER_SUPERSEDED };

/**
 * Selects the headers of a request that a bundle forwards; no other header leaves the gateway.
 * @param names in lower case
 * @throws WireError with HTTP 400 for a value that is invalid in a header
 */
export function selectForwardedHeaders(names: readonly string[], received: IncomingHttpHeaders): ForwardedHeaders {
  if (names.length === 0) return NO_HEADERS;
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = received[name];
    // Node joins repeated headers except `set-cookie`, which no request has.
    if (typeof value !== 'string') continue;
    if (!isHeaderValue(value)) {
      throw new WireError(WIRE_CODE.invalidRequest, `the header ${name} has a control character in its value`);
    }
    passed[name] = value;
  }
  return passed;
}

/** Creates the sender of a request for backends. Throws as `selectForwardedHeaders`. */
export function createSender(
  { http, identity, rules }: MessageContext,
  { passthroughHeaders }: PassingPlan,
  capabilitySet?: CapabilitySet,
): Sender {
  return { identity, passed: selectForwardedHeaders(passthroughHeaders, http.headers), rules, capabilitySet };
}

/**
 * Checks a request that had to wait: a new bundle may no longer admit its sender.
 * @throws WireError when other authentication settings apply now
 */
export function requireCurrentAuth({ rules }: Sender): void {
  if (!rules.isSuperseded) return;
  throw new WireError(WIRE_CODE.refused, 'the configuration of authentication has changed; send the request again');
}

const keys = new WeakMap<Sender, string>();

/** A key that is equal for requests that may share a session with a backend: those of one caller, with the same forwarded headers. */
export function getSessionKey(sender: Sender): string {
  const { identity, passed } = sender;
  if (passed === NO_HEADERS) return identity.key;
  let key = keys.get(sender);
  if (key === undefined) {
    key = formatKeyWith(identity.key, Object.entries(passed));
    keys.set(sender, key);
  }
  return key;
}

/** A key that is equal for requests whose senders get the same lists from a backend: as `getSessionKey`, for clients with the same capabilities. */
export function getListKey(sender: Sender): string {
  const key = getSessionKey(sender);
  return sender.capabilitySet === undefined ? key : `${key} ${sender.capabilitySet.key}`;
}

function formatKeyWith(key: string, headers: readonly (readonly [string, string])[]): string {
  if (headers.length === 0) return key;
  return `${key} ${createHash('sha256').update(JSON.stringify(headers)).digest('base64url')}`;
}
