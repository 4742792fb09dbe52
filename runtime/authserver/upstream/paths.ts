/**
 * Dot paths into the answer of a token endpoint: members and list indices, and one modifier, `@upstreamjwt`, which takes the claims of a
 * JWT without verifying it. The answer came from the token endpoint itself, so its word is as good as the endpoint's.
 *
 * Answers are read by `parseAnswer`: an upstream may name people by numbers that have more digits than a double holds, and two of them
 * must not become one person.
 */
import { decodeJwt } from 'jose';

const MODIFIER = '@upstreamjwt';

/** Undefined for a missing path. */
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
