/**
 * Arguments of a tool that its server wants to see as headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ParamHeader } from '#schemas';
import type { Envelope } from './envelope.ts';
import { decodeHeaderValue, encodeHeaderValue, UNSAFE } from './header-value.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The headers that go with a call, encoded; names and values in turn. An argument that is missing or null has none. */
export function mirroredArguments(envelope: Envelope, plan: readonly ParamHeader[]): string[] {
  const values = argumentsOf(envelope);
  return plan.flatMap(({ header, path }) => {
    const value = valueAt(values, path);
    return isSingle(value) ? [header, encodeHeaderValue(String(value))] : [];
  });
}

/**
 * Checks that the headers of a call say what its arguments say.
 * @throws WireError -32020
 */
export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  envelope: Envelope,
  plan: readonly ParamHeader[],
): void {
  const values = argumentsOf(envelope);
  for (const { header, path } of plan) {
    const name = path.join('.');
    if (isSame(headers[header] as string | undefined, valueAt(values, path))) continue;
    throw new WireError(
      WIRE_CODE.headerMismatch,
      `the ${header} header does not match params.arguments.${name} of the message`,
    );
  }
}

function isSame(header: string | undefined, argument: unknown): boolean {
  // Only single values can stand in a header; for all others there must be none.
  if (!isSingle(argument)) return header === undefined;
  if (header === undefined || UNSAFE.test(header)) return false;
  const decoded = decodeHeaderValue(header);
  if (typeof argument === 'number') return /^-?\d+(\.\d+)?$/.test(decoded ?? '') && Number(decoded) === argument;
  return decoded === String(argument);
}

function argumentsOf(envelope: Envelope): unknown {
  return envelope.arguments === undefined ? undefined : envelope.valueAt(envelope.arguments);
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return value;
}

/** What is neither does not fit the schema; the server will say so. */
function isSingle(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
