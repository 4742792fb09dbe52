/** `--as`: the caller, from a file of claims or in short notation. */
import { existsSync } from 'node:fs';
import type { Claims } from '../analysis/access/index.ts';
import { UsageError } from '../usage-error.ts';
import { isJsonText, parseJsonObject, readJsonObject } from './read-json-object.ts';

/** Claims that identity providers send as lists: policies see no groups in a single string. */
const LISTS = new Set(['cognito:groups', 'groups', 'roles']);

const FORM = 'NAME, NAME,groups=GROUP,claim=VALUE, the claims as JSON, or a file of that';

/** Whether a person wrote each of the claims on the command line. The claims in a file may be all claims of a token. */
export function areClaimsChosen(text: string): boolean {
  return isJsonText(text) || !isFile(text);
}

function isFile(text: string): boolean {
  const mayBe = text === '-' || /\.json$|[/\\]/.test(text) || existsSync(text);
  return mayBe && !(text.includes(',') && !existsSync(text));
}

/**
 * The claims of a caller: from a JSON file, from standard input (`-`), or in short notation: `ann,groups=staff,email=ann@example.com`. A
 * repeated claim becomes a list.
 *
 * @throws UsageError for any other argument
 */
export function parseCallerClaims(text: string): Claims {
  const [name = '', ...others] = text.split(',');
  if (isJsonText(text) || text.startsWith('[')) return parseJsonObject(text, 'claims', '--as');
  if (isFile(text)) return readJsonObject(text, 'claims');
  if (name === '' || name.includes('='))
    throw new UsageError(`--as ${text}: this names no caller: write ${FORM}${suggestCaller(text)}`);
  const values = new Map<string, string[]>();
  for (const part of others) {
    const [, claim = '', value = ''] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    if (claim === '' || claim === 'sub')
      throw new UsageError(
        `--as ${text}: ${JSON.stringify(part)} is no claim with a value: write ${FORM}${suggestClaim(part, [...values.keys()].at(-1))}`,
      );
    if (value === '' && LISTS.has(claim))
      throw new UsageError(
        `--as ${text}: ${JSON.stringify(part)} has no value; leave it out for a caller without ${claim}`,
      );
    values.set(claim, [...(values.get(claim) ?? []), value]);
  }
  const claims = [...values].map(([claim, [value, ...more]]) => [
    claim,
    more.length === 0 && !LISTS.has(claim) ? value : [value, ...more],
  ]);
  return { sub: name, ...Object.fromEntries(claims) };
}

/** Detects claims without the name of a caller, and a space where a comma should separate claims. */
function suggestCaller(text: string): string {
  const [, name, claims] = /^([^\s=,]+)[\s;:]+([^\s=,]+=[^\s]+)$/.exec(text) ?? [];
  if (name !== undefined) return `; did you mean ${name},${claims}?`;
  return /^[^\s=,]+=/.test(text) ? `; did you mean NAME,${text}?` : '';
}

/** @param before the previous claim: its name has to be repeated for each item of a list */
function suggestClaim(part: string, before: string | undefined): string {
  if (!/^[^=\s]+$/.test(part)) return '';
  return `; did you mean ${before !== undefined && LISTS.has(before) ? before : 'groups'}=${part}?`;
}
