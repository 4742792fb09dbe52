/** Advice about mistakes that Cedar's parser reports without saying what is missing. */
import { isString, type Token, tokenize } from './tokens.ts';

const WORDS: { readonly [word: string]: string } = { and: '&&', or: '||', not: '!' };

/**
 * @param offset where the parser stopped, in UTF-16 code units
 * @returns undefined for any other mistake
 */
export function suggestSyntax(text: string, offset: number): string | undefined {
  const tokens = [...tokenize(text)];
  const index = tokens.findIndex(token => token.offset >= offset);
  const at = tokens[index];
  if (at === undefined)
    return isBalanced(tokens) && tokens.at(-1)?.text !== ';' ? 'end the policy with ";"' : undefined;
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  // An unterminated string takes the rest of the text; the parser stops at its start.
  if (at.text === "'" || after?.text === "'") return 'write text in double quotes: "…"';
  if (at.text === ':' && before !== undefined && after !== undefined && isString(after))
    return `write two colons between type and name of an entity: ${before.text}::${after.text}`;
  const [id, end] = [tokens[index + 2], tokens[index + 3]];
  if (after?.text === '::' && id !== undefined && !isString(id) && [',', ')'].includes(end?.text ?? ''))
    return `write the id of an entity in double quotes: ${at.text}::"${id.text}"`;
  // Without a bracket after it, `permit` may be a name.
  const start = at.text === '(' ? index - 1 : index;
  const isNext = startsPolicy(tokens[start]?.text ?? '') && ')}'.includes(tokens[start - 1]?.text ?? ' ');
  if (isNext && isBalanced(tokens.slice(0, start))) return 'end the policy before it with ";"';
  const operator = Object.hasOwn(WORDS, at.text) ? WORDS[at.text] : undefined;
  return operator === undefined ? undefined : `write ${operator} in place of ${at.text}`;
}

function startsPolicy(word: string): boolean {
  return ['@', 'permit', 'forbid'].includes(word);
}

function isBalanced(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { text } of tokens) {
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
  }
  return depth === 0;
}
