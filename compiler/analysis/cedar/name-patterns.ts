/** Patterns that policies hold names against: `resource.name like "climate_*"`. */
import type { CEDAR_ACTIONS, CedarAction } from '#schemas';
import type { TextSpan } from '../../source/locate-finding.ts';
import { listNamedTypes } from './compared-names.ts';
import { type Expr, type PatternElem, toNode } from './expression.ts';
import type { ParsedPolicy } from './parse-policies.ts';
import { isString, tokenize } from './tokens.ts';
import { type Sense, visitTests } from './visit-tests.ts';

/** The texts between the stars, in their order: of `climate_*` these are `climate_` and an empty one. */
export type NamePattern = readonly [string, ...string[]];

export interface PatternUse {
  readonly pattern: NamePattern;
  /** Of what the names are: `Tool`, `Prompt` or `Resource`, each that the policy may be about. */
  readonly types: readonly string[];
  /** What a match does to the call. */
  readonly sense: Sense;
  readonly part: TextSpan;
}

type Naming = (typeof CEDAR_ACTIONS)[CedarAction]['naming'];

/** Every pattern that a policy holds against the name or the URI of what is asked for. */
export function listNamePatterns(policy: ParsedPolicy): readonly PatternUse[] {
  const { text, json } = policy;
  const found = listPatterns(policy);
  if (found.every(({ naming }) => naming === undefined)) return [];
  const tokens = [...tokenize(text)];
  const places = tokens.filter((token, at) => isString(token) && tokens[at - 1]?.text === 'like');
  return found.flatMap(({ naming, pattern, sense }, at) => {
    if (naming === undefined) return [];
    // Where the text has them in another number, as a whole.
    const { text: written = text, offset = 0 } = places.length === found.length ? (places[at] ?? {}) : {};
    const types = listNamedTypes(json, naming);
    return types.length === 0 ? [] : [{ pattern, types, sense, part: { offset, length: written.length } }];
  });
}

interface Found {
  /** Undefined where it is not about a name. */
  readonly naming: Naming | undefined;
  readonly pattern: NamePattern;
  readonly sense: Sense;
}

/** In the order of the text: the left side of `like` comes before the word. */
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

/** As Cedar writes it. */
export function writePattern(pattern: NamePattern): string {
  const literal = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('*', '\\*');
  return `"${pattern.map(literal).join('*')}"`;
}

/** Whether some text is of both patterns. One without a star is a name. */
export function mayBothMatch(a: NamePattern, b: NamePattern): boolean {
  // Most are held against names, of which there may be tens of thousands.
  if (b.length === 1) return isMatch(a, b[0]);
  if (a.length === 1) return isMatch(b, a[0]);
  const [left, right] = [toSteps(a), toSteps(b)];
  // By what is left of both: whether it can be met.
  let row = new Set<number>([0]);
  const open = (at: number): number[] => (right[at] === STAR ? [at, ...open(at + 1)] : [at]);
  const closure = (places: Iterable<number>) => new Set([...places].flatMap(open));
  row = closure(row);
  for (const step of left) {
    if (step === STAR) {
      // It takes any more of the other one.
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

/** Each part is taken where it comes first, which leaves the most for the others. */
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
