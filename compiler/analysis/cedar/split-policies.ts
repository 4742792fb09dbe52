import { tokenize } from './tokens.ts';

/** One policy of a text that may hold several. */
export interface PolicyPart {
  readonly text: string;
  /** Where its first character is, in UTF-16 code units of the whole text. */
  readonly offset: number;
}

/** The policies of a text, each with its semicolon, which nothing but the end of a policy has in Cedar. */
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
