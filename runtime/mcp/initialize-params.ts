import { isObject } from '#schemas';
import { MAX_TRAITS_LENGTH } from './client-limits.ts';
import type { ClientTraits } from './client-traits.ts';
import type { Envelope } from './envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The client's description of itself. */
export function readTraits({ clientInfo }: InitializeParams): Pick<ClientTraits, 'clientInfo'> {
  return { clientInfo: isObject(clientInfo) ? clientInfo : undefined };
}

export interface InitializeParams {
  readonly protocolVersion: string;
  readonly [name: string]: unknown;
}

/**
 * The params of `initialize`.
 * @throws WireError -32602 when they are longer than {@link MAX_TRAITS_LENGTH}, or name no revision
 */
export function initializeParams(envelope: Envelope): InitializeParams {
  const { id, params: span } = envelope;
  if (span !== undefined && span.end - span.start > MAX_TRAITS_LENGTH) {
    const text = `params of initialize must not be longer than ${MAX_TRAITS_LENGTH} characters`;
    throw new WireError(WIRE_CODE.invalidParams, text).withId(id);
  }
  const params = envelope.paramsValue() as { readonly [name: string]: unknown } | undefined;
  if (typeof params?.protocolVersion !== 'string') {
    throw new WireError(WIRE_CODE.invalidParams, 'protocolVersion must be a string').withId(id);
  }
  return params as InitializeParams;
}
