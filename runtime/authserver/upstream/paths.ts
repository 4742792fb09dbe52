/**
 * Dot paths into a token response: members, list indices, and the modifier `@upstreamjwt`, which decodes the claims of a JWT. The JWT is not
 * verified, because it came directly from the token endpoint.
 *
 * `parseAnswer` keeps large numbers exact: an upstream may identify people by numbers beyond the precision of a double, and two people must not
 * get the same id.
 */
import { decodeJwt } from 'jose';

const MODIFIER = '@upstreamjwt';

/** Undefined for a missing path. */
export function getValueAt(root: unknown, path: string): unknown {
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

/** A JWT's claims, unverified; undefined for anything but a JWT. */
export function decodeClaims(token: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof token !== 'string') return undefined;
  try {
    decodeJwt(token);
    return parseAnswer(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** TypeScript's library does not declare a reviver's third argument yet. */
type Reviver = (name: string, value: unknown) => unknown;

/**
 * Parses JSON; a number that a double cannot represent exactly becomes its text.
 * @throws SyntaxError
 */
export function parseAnswer(text: string): unknown {
  const keep = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
  return JSON.parse(text, keep as Reviver);
}

/** A non-empty string, or a number as text. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
