/** Which headers may stand in a spec, and what the report says about those that may not. */
import { isSecretHeader } from '../source/secret-name.ts';
import { isHarmless } from '../starter/harmless.ts';
import type { FoundHeader } from './found.ts';

/** Schemes of RFC 9110, section 11, and what servers use in their place. Only these words of a value are ever repeated. */
const SCHEME = /^(Bearer|Basic|Token|ApiKey|Api-Key)\s+\S/i;

/** `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`; a default is part of no answer. */
const REFERENCE = /\$\{(?:(env|input):)?([A-Za-z_][A-Za-z0-9_-]{0,63})(?::-[^}]*)?\}/g;

/** Those that a gateway sets for itself; a client may have had to say them. */
const OF_THE_TRANSPORT = new Set(['accept', 'content-type', 'mcp-protocol-version', 'user-agent']);

export function isOfTransport({ name }: FoundHeader): boolean {
  return OF_THE_TRANSPORT.has(name.toLowerCase());
}

/** @param plain names, in small letters, of headers that a person says are no secrets */
export function isPlainHeader({ name, value }: FoundHeader, plain: ReadonlySet<string>): boolean {
  if (value.includes('${')) return false;
  return plain.has(name.toLowerCase()) || (!isSecretHeader(name) && isHarmless(value));
}

/** How the value is made, without the value: `Bearer and what GITHUB_TOKEN holds`. */
export function describeValue({ value }: FoundHeader): string {
  const [, scheme] = SCHEME.exec(value) ?? [];
  const names = [...value.matchAll(REFERENCE)].map(([, kind, name]) => (kind === 'input' ? `the input ${name}` : name));
  const parts = names.length > 0 ? `what ${names.join(' and ')} holds` : 'the value that the client has';
  return scheme === undefined
    ? parts
    : `${schemeName(scheme)}, a space, and ${names.length > 0 ? parts : 'the credential that the client has'}`;
}

/** Whether the value itself stands in the file, and not only the name of what holds it. */
export function isWrittenOut(value: string): boolean {
  if (/\$\{[^}]*:-/.test(value)) return true;
  return value.replace(REFERENCE, '').replace(/^\s*[A-Za-z-]*\s*$/, '') !== '';
}

function schemeName(scheme: string): string {
  return scheme.charAt(0).toUpperCase() + scheme.slice(1).toLowerCase();
}
