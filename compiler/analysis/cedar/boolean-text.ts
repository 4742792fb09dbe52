/** Conditions by their structure of `||` and `&&`, read from the text that reports and exposures hold. */
import { tokenize } from './tokens.ts';

/** What has to hold together; equal parts have equal texts. Empty: nothing is asked. */
export type Conjunction = ReadonlySet<string>;

/** Ways beyond which a condition counts as one whole: multiplied out, texts explode. */
const MAX_WAYS = 64;

/** The ways in which a condition holds, multiplied out: one of them, with all that it asks. */
export function toDisjunctiveNormalForm(text: string): readonly Conjunction[] {
  const bare = withoutParentheses(text);
  const either = splitByOperator(bare, '||');
  if (either.length > 1) return limited(either.flatMap(toDisjunctiveNormalForm), bare);
  const all = splitByOperator(bare, '&&');
  if (all.length === 1) return [new Set(bare === 'true' ? [] : [bare])];
  let ways: readonly Conjunction[] = [new Set()];
  for (const part of all) {
    const more = toDisjunctiveNormalForm(part);
    if (ways.length * more.length > MAX_WAYS) return [new Set([bare])];
    ways = ways.flatMap(way => more.map(other => new Set([...way, ...other])));
  }
  return ways;
}

/** Whether the one asks for nothing that the other does not ask for. */
export function isWithin(asked: Conjunction, way: Conjunction): boolean {
  return [...asked].every(part => way.has(part));
}

/** Whether both cannot hold: one asks for the opposite of what the other asks for. */
export function exclude(a: Conjunction, b: Conjunction): boolean {
  return denies(a, b) || denies(b, a);
}

function denies(a: Conjunction, b: Conjunction): boolean {
  return [...a].some(part => part.startsWith('!') && b.has(withoutParentheses(part.slice(1))));
}

function limited(ways: readonly Conjunction[], text: string): readonly Conjunction[] {
  return ways.length > MAX_WAYS ? [new Set([text])] : ways;
}

/** The operands of an operator outside of parentheses; the text itself where it does not stand there. */
export function splitByOperator(text: string, operator: '||' | '&&'): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { text: token, offset } of tokenize(text)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    // Binds looser than both, so that all that follows is part of it.
    else if (depth === 0 && token === 'if') return [text];
    else if (depth === 0 && token === operator) {
      parts.push(text.slice(start, offset).trim());
      start = offset + operator.length;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Without the pairs around the whole of it. */
function withoutParentheses(text: string): string {
  const bare = text.trim();
  if (!bare.startsWith('(')) return bare;
  let depth = 0;
  for (const { text: token, offset } of tokenize(bare)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    if (depth === 0) return offset === bare.length - 1 ? withoutParentheses(bare.slice(1, -1)) : bare;
  }
  return bare;
}
