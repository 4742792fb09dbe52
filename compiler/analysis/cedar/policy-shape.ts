/**
 * The shape of a policy: policies that differ only in names share it. Whether a policy parses and validates depends on its shape alone, so Cedar
 * checks each shape once: the policies of a thousand gateways have a few dozen shapes.
 */
import { tokenize } from './tokens.ts';

/** A policy with a placeholder for each name; equal names get equal placeholders. */
export interface PolicyShape {
  /** The text of the shape, with comments and white space reduced. */
  readonly text: string;
  /** The names, by placeholder number. */
  readonly names: readonly string[];
}

const PLACEHOLDER = 'lintel-placeholder-';
/** A string without characters that could change how Cedar reads it or what Cedar warns of. */
const PLAIN = /^"[ !#-)+-[\]-~]*"$/;

/** The shape of a policy. Undefined if it contains strings that could be confused with a placeholder or a name: escapes have many forms. */
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

/** Whether a string is a name: the id of an entity (except actions, which the schema lists), a compared string, or the value of an annotation. */
function isName(before: readonly string[]): boolean {
  const [last, second, third] = [before.at(-1), before.at(-2), before.at(-3)];
  if (last === '::') return second !== 'Action';
  if (last === '==' || last === '!=') return !followsString(before);
  return last === '(' && second !== undefined && third === '@';
}

/**
 * Whether a string literal is compared with another string literal. Cedar's validator evaluates such a comparison, so no placeholder may replace
 * the text of the literal.
 */
function followsString(before: readonly string[]): boolean {
  const left = before.findLast((token, at) => at < before.length - 1 && token !== ')');
  return left?.startsWith('"') === true;
}

/** Puts the names of a policy into the JSON form of its shape. */
export function withNames<T>(shape: T, names: readonly string[]): T {
  if (typeof shape === 'string') {
    return (shape.startsWith(PLACEHOLDER) ? names[Number(shape.slice(PLACEHOLDER.length))] : shape) as T;
  }
  if (Array.isArray(shape)) return shape.map(item => withNames(item, names)) as T;
  if (typeof shape !== 'object' || shape === null) return shape;
  return Object.fromEntries(Object.entries(shape).map(([key, member]) => [key, withNames(member, names)])) as T;
}
