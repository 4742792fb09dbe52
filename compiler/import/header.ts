/** Decides which headers may appear in a spec, and how the report describes the others. */
import { isSecretHeader } from '../source/secret-name.ts';
import { isHarmless } from '../starter/harmless.ts';
import type { FoundHeader } from './found.ts';

/** Schemes of RFC 9110, section 11, and nonstandard ones. No other word of a value is ever repeated. */
const SCHEME = /^(Bearer|Basic|Token|ApiKey|Api-Key)\s+\S/i;

/** `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`; defaults are never repeated. */
const REFERENCE = /\$\{(?:(env|input):)?([A-Za-z_][A-Za-z0-9_-]{0,63})(?::-[^}]*)?\}/g;

/** Headers that a gateway sets itself; some clients need them in their file. */
const OF_THE_TRANSPORT = new Set(['accept', 'content-type', 'mcp-protocol-version', 'user-agent']);

export function isOfTransport({ name }: FoundHeader): boolean {
  return OF_THE_TRANSPORT.has(name.toLowerCase());
}

/** @param plain lower-case names of headers that the operator declared not to be secret */
export function isPlainHeader({ name, value }: FoundHeader, plain: ReadonlySet<string>): boolean {
  if (value.includes('${')) return false;
  return plain.has(name.toLowerCase()) || (!isSecretHeader(name) && isHarmless(value));
}

/** Describes the value without repeating it: `Bearer and what GITHUB_TOKEN holds`. */
export function describeValue({ value }: FoundHeader): string {
  const [, scheme] = SCHEME.exec(value) ?? [];
  const names = [...value.matchAll(REFERENCE)].map(([, kind, name]) => (kind === 'input' ? `the input ${name}` : name));
  const parts = names.length > 0 ? `what ${names.join(' and ')} holds` : 'the value that the client has';
  return scheme === undefined
    ? parts
    : `${formatSchemeName(scheme)}, a space, and ${names.length > 0 ? parts : 'the credential that the client has'}`;
}

/** Whether the file contains the value itself rather than a reference. */
export function isWrittenOut(value: string): boolean {
  if (/\$\{[^}]*:-/.test(value)) return true;
  return value.replace(REFERENCE, '').replace(/^\s*[A-Za-z-]*\s*$/, '') !== '';
}

function formatSchemeName(scheme: string): string {
  return scheme.charAt(0).toUpperCase() + scheme.slice(1).toLowerCase();
}
