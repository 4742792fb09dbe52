/** Headers that the gateway sends to a backend in addition to the credential: fixed headers, and forwarded headers of the client's request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ForwardedHeaderPlan } from '#schemas';
import { isCredentialHeader, isHeaderName, isHeaderValue, isProtocolHeader, isRestrictedHeader } from '#shared/plan';
import type { OpenSecret } from './open-secret.ts';

/** Invalid forwarded headers. The message names the header and the cause, never its value. */
export class HeaderForwardingError extends Error {
  constructor(header: string, problem: string) {
    super(`the header ${JSON.stringify(header)} cannot be forwarded: ${problem}`);
    this.name = 'HeaderForwardingError';
  }
}

export interface HeaderForwarding {
  /**
   * The forwarded headers of one request, names and values alternating, without duplicates.
   *
   * @param received headers of the client's request; undefined for the gateway's own requests
   * @throws HeaderForwardingError when a rotated secret is not a valid header value
   */
  getHeaders(received: IncomingHttpHeaders | undefined): readonly string[];
}

/**
 * @param passthrough names of the client's headers to forward; all others are dropped
 * @throws HeaderForwardingError for a forbidden or duplicate name, or a value with a line break
 */
export function createHeaderForwarding(
  fixed: readonly ForwardedHeaderPlan[],
  passthrough: readonly string[],
  openSecret: OpenSecret,
): HeaderForwarding {
  const names = new Set<string>();
  const claim = (name: string): void => {
    refuseName(name);
    if (names.has(name.toLowerCase())) throw new HeaderForwardingError(name, 'it is set twice');
    names.add(name.toLowerCase());
  };
  const constant = fixed.map(({ name, value }) => {
    claim(name);
    const secret = value.type === 'text' ? { value: value.text } : openSecret(value.from, `value of header ${name}`);
    checkHeader(name, secret.value);
    return { name, secret };
  });
  const handedOn = passthrough.map(name => {
    claim(name);
    if (isCredentialHeader(name)) throw new HeaderForwardingError(name, 'it carries the credentials of the caller');
    return { name, received: name.toLowerCase() };
  });
  return {
    getHeaders(received = {}) {
      const headers: string[] = [];
      for (const { name, secret } of constant) headers.push(name, checkHeader(name, secret.value));
      for (const { name, received: lowered } of handedOn) {
        // Node joins repeated headers except `set-cookie`, which requests do not have.
        const value = received[lowered];
        if (typeof value === 'string') headers.push(name, checkHeader(name, value));
      }
      return headers;
    },
  };
}

function refuseName(name: string): void {
  if (!isHeaderName(name)) throw new HeaderForwardingError(name, 'it is not the name of a header');
  if (isRestrictedHeader(name)) throw new HeaderForwardingError(name, 'it belongs to one connection');
  if (isProtocolHeader(name)) throw new HeaderForwardingError(name, 'it belongs to the protocol');
}

function checkHeader(name: string, value: string): string {
  if (isHeaderValue(value)) return value;
  throw new HeaderForwardingError(name, 'its value contains a line break or another control character');
}
