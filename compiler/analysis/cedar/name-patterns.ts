/** Patterns that policies match names against: `resource.name like "climate_*"`. */
import type { CEDAR_ACTIONS, CedarAction } from '#shared/plan';
import type { TextSpan } from '../../source/locate-finding.ts';
import { listNamedTypes } from './compared-names.ts';
import { type Expr, type PatternElem, toNode } from './expression.ts';
import type { ParsedPolicy } from './parse-policies.ts';
import { isString, tokenize } from './tokens.ts';
import { type Sense, visitTests } from './visit-tests.ts';

/** The parts of the pattern between its stars, in order: `climate_*` has `climate_` and an empty part. */
export type NamePattern = readonly [string, ...string[]];

export interface PatternUse {
  readonly pattern: NamePattern;
  /** The item types whose names are matched, as far as the policy's scope allows: `Tool`, `Prompt` or `Resource`. */
  readonly types: readonly string[];
  /** What a match does to the call. */
  readonly sense: Sense;
  readonly part: TextSpan;
}

type Naming = (typeof CEDAR_ACTIONS)[CedarAction]['naming'];

/** Every pattern that a policy matches against the name or the URI of the requested item. */
export function listNamePatterns(policy: ParsedPolicy): readonly PatternUse[] {
  const { text, json } = policy;
  const found = listPatterns(policy);
  if (found.every(({ naming }) => naming === undefined)) return [];
  const tokens = [...tokenize(text)];
  const places = tokens.filter((token, at) => isString(token) && tokens[at - 1]?.text === 'like');
  return found.flatMap(({ naming, pattern, sense }, at) => {
    if (naming === undefined) return [];
    // If the text and the parsed policy have different numbers of patterns, the position of a pattern is unknown, and the finding points at the whole
    // policy.
    const { text: literal = text, offset = 0 } = places.length === found.length ? (places[at] ?? {}) : {};
    const types = listNamedTypes(json, naming);
    return types.length === 0 ? [] : [{ pattern, types, sense, part: { offset, length: literal.length } }];
  });
}

interface Found {
  /** The attribute that the pattern is matched against; undefined when it is not a name or a URI. */
  readonly naming: Naming | undefined;
  readonly pattern: NamePattern;
  readonly sense: Sense;
}

/** The patterns in a policy, in the order of the text: the left side of `like` comes before its pattern. */
function listPatterns(policy: ParsedPolicy): readonly Found[] {
  const found: Found[] = [];
  visitTests(policy, (node, sense) => {
    if (node.op === 'like') found.push({ naming: findNaming(node.left), pattern: readPattern(node.pattern), sense });
  });
  return found;
}

function findNaming(expr: Expr): Naming | undefined {
  const node = toNode(expr);
  if (node.op !== '.' || (node.attr !== 'name' && node.attr !== 'uri')) return undefined;
  const holder = toNode(node.left);
  return holder.op === 'Var' && holder.name === 'resource' ? node.attr : undefined;
}

function readPattern(elements: readonly PatternElem[]): NamePattern {
  const parts: [string, ...string[]] = [''];
  for (const element of elements) {
    if (element === 'Wildcard') parts.push('');
    else parts[parts.length - 1] += element.Literal;
  }
  return parts;
}

/** The pattern in Cedar's syntax. */
export function writePattern(pattern: NamePattern): string {
  const literal = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('*', '\\*');
  return `"${pattern.map(literal).join('*')}"`;
}

/** Whether some text matches both patterns. A pattern without a star is a name. */
export function mayBothMatch(a: NamePattern, b: NamePattern): boolean {
  // Most patterns are compared with names, of which there may be tens of thousands.
  if (b.length === 1) return isMatch(a, b[0]);
  if (a.length === 1) return isMatch(b, a[0]);
  const [left, right] = [toSteps(a), toSteps(b)];
  // Dynamic programming over the remaining characters of both patterns: whether the two remainders can match the same text.
  let row = new Set<number>([0]);
  const open = (at: number): number[] => (right[at] === STAR ? [at, ...open(at + 1)] : [at]);
  const closure = (places: Iterable<number>) => new Set([...places].flatMap(open));
  row = closure(row);
  for (const step of left) {
    if (step === STAR) {
      // A star matches any number of further characters of the other pattern.
      const from = Math.min(...row);
      row = closure(Array.from({ length: right.length + 1 - from }, (_, at) => from + at));
      continue;
    }
    const next = [...row].flatMap(at => (right[at] === STAR ? [at] : right[at] === step ? [at + 1] : []));
    row = closure(next);
    if (row.size === 0) return false;
  }
  return row.has(right.length);
}

/** Whether a name matches a pattern. Each part is matched at its first occurrence, which leaves the most text for the parts after it. */
function isMatch(pattern: NamePattern, name: string): boolean {
  const [first] = pattern;
  const last = pattern.at(-1) ?? '';
  if (pattern.length === 1) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (let part = 1; part < pattern.length - 1; part += 1) {
    const text = pattern[part] as string;
    const found = name.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return at <= end;
}

const STAR = Symbol('any text');

function toSteps(pattern: NamePattern): readonly (string | typeof STAR)[] {
  return pattern.flatMap((part, at) => (at === 0 ? [...part] : [STAR, ...part]));
}
