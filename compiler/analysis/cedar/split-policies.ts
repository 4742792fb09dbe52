import { tokenize } from './tokens.ts';

/** One policy of a text that may hold several. */
export interface PolicyPart {
  readonly text: string;
  /** Offset of the policy's first character in the whole text, in UTF-16 code units. */
  readonly offset: number;
}

/** Splits a text into policies, each with its semicolon: in Cedar a semicolon occurs only at the end of a policy. */
export function splitPolicies(text: string): readonly PolicyPart[] {
  const parts: PolicyPart[] = [];
  let start: number | undefined;
  for (const token of tokenize(text)) {
    start ??= token.offset;
    if (token.text !== ';') continue;
    parts.push({ text: text.slice(start, token.offset + 1), offset: start });
    start = undefined;
  }
  if (start !== undefined) parts.push({ text: text.slice(start), offset: start });
  return parts;
}
