/**
 * Dot paths into the answer of a token endpoint: members and list indices, and one modifier, `@upstreamjwt`, which takes the claims of a
 * JWT without verifying it. The answer came from the token endpoint itself, so its word is as good as the endpoint's.
 */
import { decodeJwt } from 'jose';

const MODIFIER = '@upstreamjwt';

/** Undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split('|')) {
    value = part === MODIFIER ? decodeClaims(value) : readMember(value, part);
    if (value === undefined) return undefined;
  }
  return value;
}

function readMember(root: unknown, path: string): unknown {
  let value = root;
  // `\.` is a dot within a name.
  for (const step of path.match(/(?:\\.|[^.\\])+/g) ?? []) {
    const name = step.replace(/\\(.)/g, '$1');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function decodeClaims(token: unknown): unknown {
  try {
    return typeof token === 'string' ? decodeJwt(token) : undefined;
  } catch {
    return undefined;
  }
}

/** A text that is not empty, or a number as text. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
