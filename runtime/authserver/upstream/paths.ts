/**
 * Dot paths into the answer of a token endpoint: members and list indices, and one modifier, `@upstreamjwt`, which takes the claims of a
 * JWT without verifying it. The answer came from the token endpoint itself, so its word is as good as the endpoint's.
 *
 * Answers are read by `parseAnswer`: an upstream may name people by numbers that have more digits than a double holds, and two of them
 * must not become one person.
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

/** The claims of a JWT as they are written; undefined for what is no JWT. Nothing of them is verified. */
export function decodeClaims(token: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof token !== 'string') return undefined;
  try {
    decodeJwt(token);
    return parseAnswer(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** TypeScript's library does not know the third argument of a reviver yet. */
type Reviver = (name: string, value: unknown) => unknown;

/**
 * JSON, in which a number that a double would not give back as it was written is the text of that number.
 *
 * @throws SyntaxError
 */
export function parseAnswer(text: string): unknown {
  const keep = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
  return JSON.parse(text, keep as Reviver);
}

/** A text that is not empty, or a number as text. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
