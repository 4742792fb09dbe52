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

/** `${file:PATH}` of Windsurf, and `${cmd: COMMAND}` of mcp-hub, as the whole value. */
const INDIRECT = /^\$\{(file|cmd):[^}]*\}$/;

/** Describes the value without repeating it: `Bearer, a space, and what GITHUB_TOKEN holds`. */
export function describeValue({ value }: FoundHeader): string {
  const [, scheme] = SCHEME.exec(value) ?? [];
  if (scheme === undefined) return describePart(value, 'value');
  return `${formatSchemeName(scheme)}, a space, and ${describePart(value.slice(scheme.length).trimStart(), 'credential')}`;
}

function describePart(text: string, word: 'value' | 'credential'): string {
  const references = findReferences(text);
  if (references?.isWhole === true) return references.what;
  const location = `the ${word} in the imported file`;
  return references === undefined ? location : `${location}, with ${references.what} filled in`;
}

/** What a value refers to, such as `what TOKEN holds`, and whether it has no other text; undefined for a value without references. */
export function findReferences(text: string): { readonly what: string; readonly isWhole: boolean } | undefined {
  const [, indirect] = INDIRECT.exec(text) ?? [];
  if (indirect === 'file') return { what: 'what the file holds that this value names', isWhole: true };
  if (indirect === 'cmd') return { what: 'what the command prints that this value names', isWhole: true };
  const names = [...text.matchAll(REFERENCE)].map(([, kind, name]) => (kind === 'input' ? `the input ${name}` : name));
  if (names.length === 0) return undefined;
  const otherwise = /\$\{[^}]*:-/.test(text) ? ', or else the default in the imported file' : '';
  const what = `what ${names.join(' and ')} ${names.length === 1 ? 'holds' : 'hold'}${otherwise}`;
  return { what, isWhole: text.replace(REFERENCE, '').trim() === '' };
}

/** Whether `--plain` could write the value into a spec, which cannot have variables of other programs. */
export function isLiteral(value: string): boolean {
  return !value.includes('${');
}

/** Whether the file contains the value itself rather than a reference. */
export function isWrittenOut(value: string): boolean {
  if (/\$\{[^}]*:-/.test(value)) return true;
  const rest = value.replace(REFERENCE, '');
  // Beside a reference, a word is a scheme such as `Bearer`.
  return rest === value ? value.trim() !== '' : !/^\s*[A-Za-z-]*\s*$/.test(rest);
}

function formatSchemeName(scheme: string): string {
  return scheme.charAt(0).toUpperCase() + scheme.slice(1).toLowerCase();
}
