/**
 * What policies have in common that differ in names only. Whether one parses and fits the schema depends on its shape, so
 * Cedar is asked once for each shape: the policies of a thousand gateways have a few dozen.
 */
import { tokenize } from './tokens.ts';

/** A policy with a placeholder for each name in it, equal ones for equal names. */
export interface PolicyShape {
  /** A policy itself; comments and white space are as short as can be. */
  readonly text: string;
  /** By the number of the placeholder. */
  readonly names: readonly string[];
}

const PLACEHOLDER = 'lintel-placeholder-';
/** Nothing that Cedar would read differently, or warn of, by what it is. */
const PLAIN = /^"[ !#-)+-[\]-~]*"$/;

/** Undefined for a text with strings that a placeholder, or a name, could be mistaken for; escapes have many forms. */
export function computePolicyShape(policy: string): PolicyShape | undefined {
  if (policy.includes(PLACEHOLDER) || policy.includes('\\')) return undefined;
  const names = new Map<string, number>();
  const tokens: string[] = [];
  for (const { text } of tokenize(policy)) {
    if (!PLAIN.test(text) || !isName(tokens)) tokens.push(text);
    else {
      const name = text.slice(1, -1);
      const number = names.get(name) ?? names.size;
      names.set(name, number);
      tokens.push(`"${PLACEHOLDER}${number}"`);
    }
  }
  return { text: tokens.join(' '), names: [...names.keys()] };
}

/** Ids of entities, but for actions, which the schema lists; what is compared; the values of annotations. */
function isName(before: readonly string[]): boolean {
  const [last, second, third] = [before.at(-1), before.at(-2), before.at(-3)];
  if (last === '::') return second !== 'Action';
  if (last === '==' || last === '!=') return !followsString(before);
  return last === '(' && second !== undefined && third === '@';
}

/** Whether it is a string that something is compared with: of two strings Cedar knows whether they are equal. */
function followsString(before: readonly string[]): boolean {
  const left = before.findLast((token, at) => at < before.length - 1 && token !== ')');
  return left?.startsWith('"') === true;
}

/** The JSON form of a shape with the names of a policy in it. */
export function named<T>(shape: T, names: readonly string[]): T {
  if (typeof shape === 'string') {
    return (shape.startsWith(PLACEHOLDER) ? names[Number(shape.slice(PLACEHOLDER.length))] : shape) as T;
  }
  if (Array.isArray(shape)) return shape.map(item => named(item, names)) as T;
  if (typeof shape !== 'object' || shape === null) return shape;
  return Object.fromEntries(Object.entries(shape).map(([key, member]) => [key, named(member, names)])) as T;
}
