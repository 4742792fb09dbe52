/** Splits conditions into their `||` and `&&` operands, working on the text in reports and exposures. */
import { tokenize } from './tokens.ts';

/** Terms that must all hold; equal terms have equal texts. Empty: no condition. */
export type Conjunction = ReadonlySet<string>;

/** Limit on the number of conjunctions: beyond it a condition counts as one term, since the expansion grows exponentially. */
const MAX_WAYS = 64;

/** A condition in disjunctive normal form. Each element is one way to fulfil it: terms that all have to hold. */
export function toDisjunctiveNormalForm(text: string): readonly Conjunction[] {
  const bare = withoutParentheses(text);
  const either = splitByOperator(bare, '||');
  if (either.length > 1) return limitWays(either.flatMap(toDisjunctiveNormalForm), bare);
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

/** Whether every term of the first is also a term of the second. */
export function isWithin(asked: Conjunction, way: Conjunction): boolean {
  return [...asked].every(part => way.has(part));
}

/** Whether the two contradict each other: one has the negation of a term of the other one. */
export function exclude(a: Conjunction, b: Conjunction): boolean {
  return denies(a, b) || denies(b, a);
}

function denies(a: Conjunction, b: Conjunction): boolean {
  return [...a].some(part => part.startsWith('!') && b.has(withoutParentheses(part.slice(1))));
}

function limitWays(ways: readonly Conjunction[], text: string): readonly Conjunction[] {
  return ways.length > MAX_WAYS ? [new Set([text])] : ways;
}

/** Splits at an operator outside of parentheses; one part when the operator does not occur there. */
export function splitByOperator(text: string, operator: '||' | '&&'): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { text: token, offset } of tokenize(text)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    // `if` binds looser than both operators, so everything after it belongs to it.
    else if (depth === 0 && token === 'if') return [text];
    else if (depth === 0 && token === operator) {
      parts.push(text.slice(start, offset).trim());
      start = offset + operator.length;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Removes parentheses that surround the whole text. */
export function withoutParentheses(text: string): string {
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
