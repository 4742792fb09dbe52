/**
 * Arguments of a tool that its server wants to see as headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ParamHeader } from '#schemas';
import type { Envelope } from './envelope.ts';
import { encodeHeaderValue } from './header-value.ts';
import { decodeHeaderValue } from './stateless/headers.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The headers that go with a call, encoded; names and values in turn. An argument that is missing or null has none. */
export function mirroredArguments(envelope: Envelope, plan: readonly ParamHeader[]): string[] {
  const values = argumentsOf(envelope);
  return plan.flatMap(({ header, path }) => {
    const text = textAt(values, path);
    return text === undefined ? [] : [header, encodeHeaderValue(text)];
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
  for (const { header, path, type } of plan) {
    const text = textAt(values, path);
    const given = headers[header] as string | undefined;
    if (text === undefined && given === undefined) continue;
    const label = `the ${header} header`;
    const name = `argument "${path.join('.')}"`;
    if (given === undefined) throw mismatch(`${label} is required: it repeats ${name}`);
    if (text === undefined) throw mismatch(`${label} is given, but ${name} is not`);
    const decoded = /[^\t\x20-\x7e]/.test(given) ? undefined : decodeHeaderValue(given);
    if (decoded === undefined) throw mismatch(`${label} has invalid characters`);
    const isSame = type === 'integer' ? decoded !== '' && Number(decoded) === Number(text) : decoded === text;
    if (!isSame) throw mismatch(`${label} does not match ${name}`);
  }
}

function argumentsOf(envelope: Envelope): unknown {
  return envelope.arguments === undefined ? undefined : envelope.valueAt(envelope.arguments);
}

function textAt(values: unknown, path: readonly string[]): string | undefined {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: string]: unknown })[name];
  }
  // What is neither text, number nor boolean does not fit the schema; the server will say so.
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function mismatch(message: string): WireError {
  return new WireError(WIRE_CODE.headerMismatch, message);
}
