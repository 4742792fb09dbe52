/** Reads members of responses, which may have any form. */
import { ForgeError } from './forge-error.ts';

export function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function readText(value: unknown, name: string): string {
  const member = readMember(value, name);
  return typeof member === 'string' ? member : '';
}

/** @throws ForgeError `unexpected` */
export function readNumber(value: unknown, name: string): number {
  const member = readMember(value, name);
  if (typeof member === 'number' && Number.isSafeInteger(member)) return member;
  throw new ForgeError(
    'unexpected',
    `the answer of the forge has no ${name}; check whether the URL is the root of its API`,
  );
}

export function readOptionalNumber(value: unknown, name: string): number | undefined {
  const member = readMember(value, name);
  return typeof member === 'number' ? member : undefined;
}

/** The found item; undefined when the forge's refusal means that the item does not exist, or that this token may not see it. */
export async function orUndefinedOn<T>(found: Promise<T>, ...failures: readonly string[]): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ForgeError && failures.includes(error.failure)) return undefined;
    throw error;
  }
}
