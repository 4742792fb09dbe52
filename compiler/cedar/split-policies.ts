/** One policy of a text that may hold several. */
export interface PolicyPart {
  readonly text: string;
  /** Of its first character, in UTF-16 code units of the whole text. */
  readonly offset: number;
}

/** Everything between two policies that says nothing: space and comments. */
const BLANK = /^(?:\s|\/\/[^\n]*(?:\n|$))*/;

/** What matters for where a policy ends: a string, a comment or the semicolon itself. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*|;/g;

/** The policies of a text, each with its semicolon, which nothing but the end of a policy has in Cedar. */
export function splitPolicies(text: string): readonly PolicyPart[] {
  const parts: PolicyPart[] = [];
  let start = 0;
  const add = (end: number) => {
    const offset = start + (BLANK.exec(text.slice(start, end))?.[0].length ?? 0);
    if (offset < end) parts.push({ text: text.slice(offset, end), offset });
    start = end;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) if (token === ';') add(index + 1);
  add(text.length);
  return parts;
}
