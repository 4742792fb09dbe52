/** Reads and replaces progress tokens as JSON text, because numbers in it may have more digits than JavaScript's numbers. */
import { formatIdKey } from './envelope.ts';
import { findMember, setMembers } from './json/members.ts';

const MEMBER = 'progressToken';

/** `progressToken` of the object at `start`, as JSON text in the canonical spelling. */
export function readProgressTokenAt(text: string, start: number): string | undefined {
  const token = findMember(text, start, MEMBER);
  return token && formatIdKey(text.slice(token.start, token.end));
}

/** The text with another token (JSON text) in the object at `start`. */
export function withProgressToken(text: string, start: number, token: string): string {
  return setMembers(text, start, new Map([[MEMBER, token]]));
}
