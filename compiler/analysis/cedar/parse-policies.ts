import type { DetailedError, PolicyToJsonAnswer } from '@cedar-policy/cedar-wasm/nodejs';
import { type Expr, type PolicyJson, toExpression } from './expression.ts';
import { type Cedar, callCedar } from './load-cedar.ts';
import { computePolicyShape, withNames } from './policy-shape.ts';
import { splitPolicies } from './split-policies.ts';
import { suggestSyntax } from './syntax-help.ts';
import { createTextCache } from './text-cache.ts';
import { tokenize } from './tokens.ts';

/** Longest text of policies that is read, in UTF-16 code units. */
export const MAX_POLICY_TEXT = 65_536;
/** Maximum nesting of brackets in a policy; Cedar's parser recurses for each level. */
export const MAX_NESTING = 100;

export interface ParsedPolicy {
  readonly text: string;
  /** The policy's shape; policies that differ in names only share it, and Cedar treats them alike. */
  readonly shape: string;
  /** Start offset in the surrounding text, in UTF-16 code units. */
  readonly offset: number;
  /** The number of the policy in that text, counted from 0. */
  readonly index: number;
  readonly json: PolicyJson;
  /** The scope and the conditions of the policy as one expression. */
  readonly condition: Expr;
}

export interface SyntaxProblem {
  readonly message: string;
  readonly help: string | undefined;
  /** Offset in the text, in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
}

export interface ParsedPolicies {
  readonly policies: readonly ParsedPolicy[];
  readonly problems: readonly SyntaxProblem[];
  /** How many policies the text has, broken ones included. */
  readonly count: number;
}

/** Maximum size of cached policy texts in bytes; their trees take a multiple of it. */
const MAX_CACHED_TEXT = 4 * 1024 * 1024;
/** Cached by text, since gateways often share policies. */
const cache = createTextCache<ParsedPolicies>(MAX_CACHED_TEXT);
const shapes = createTextCache<{ readonly json: PolicyJson | undefined }>(MAX_CACHED_TEXT);

/** The policies of a text, or its errors. */
export function parsePolicies(text: string): ParsedPolicies {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parse(text);
  cache.set(text, parsed);
  return parsed;
}

function parse(text: string): ParsedPolicies {
  const problem = (message: string, offset = 0, length = text.length, help?: string): ParsedPolicies => ({
    policies: [],
    problems: [{ message, help, offset, length }],
    count: 1,
  });
  if (text.length > MAX_POLICY_TEXT) return problem(`longer than ${MAX_POLICY_TEXT} characters`);
  if (!text.isWellFormed()) return problem('holds half of a surrogate pair, which is no character');
  const parts = splitPolicies(text);
  if (parts.length === 0) return problem('there is no policy in it');
  const all = parts.map(({ text, offset }) => parseOne(text, offset));
  const policies = all.flatMap(({ policies }, index) => policies.map(policy => ({ ...policy, index })));
  return { policies, problems: all.flatMap(({ problems }) => problems), count: parts.length };
}

interface ParsedPart {
  readonly policies: readonly Omit<ParsedPolicy, 'index'>[];
  readonly problems: readonly SyntaxProblem[];
}

function parseOne(text: string, offset: number): ParsedPart {
  const wholly = (message: string) => ({ message, help: undefined, offset, length: text.length });
  const tooDeep = `nested more than ${MAX_NESTING} levels deep`;
  if (measureNesting(text) > MAX_NESTING) return { policies: [], problems: [wholly(tooDeep)] };
  const shape = computePolicyShape(text);
  const known = shape === undefined ? undefined : parseShape(shape.text);
  if (shape !== undefined && known !== undefined) {
    const json = withNames(known, shape.names);
    return { policies: [{ text, shape: shape.text, offset, json, condition: toExpression(json) }], problems: [] };
  }
  const answer = callCedar(cedar => read(cedar, text));
  if (answer === undefined) return { policies: [], problems: [wholly(tooDeep)] };
  if (answer.type === 'success') {
    const { json } = answer;
    return { policies: [{ text, shape: text, offset, json, condition: toExpression(json) }], problems: [] };
  }
  return { policies: [], problems: answer.errors.map(error => toSyntaxProblem(error, text, offset)) };
}

/** The JSON form of a shape. Undefined when the shape does not parse: then the policy itself is parsed. */
function parseShape(shape: string): PolicyJson | undefined {
  const known = shapes.get(shape);
  if (known !== undefined) return known.json;
  const answer = callCedar(cedar => read(cedar, shape));
  const json = answer?.type === 'success' ? answer.json : undefined;
  shapes.set(shape, { json });
  return json;
}

/** The JSON form of a policy. The conversion does not check that functions exist, so the text is checked first. */
function read(cedar: Cedar, text: string): PolicyToJsonAnswer {
  const check = cedar.checkParsePolicySet({ staticPolicies: { policy: text } });
  return check.type === 'failure' ? check : cedar.policyToJson(text);
}

function toSyntaxProblem(
  { message, help, sourceLocations = [] }: DetailedError,
  text: string,
  offset: number,
): SyntaxProblem {
  const [span] = sourceLocations;
  const [start, end] = span === undefined ? [0, text.length] : toCodeUnits(text, [span.start, span.end]);
  return {
    message: message.replace(/^failed to parse (?:policy|policies|template)[^:]*: /, ''),
    help: suggestSyntax(text, start) ?? help ?? undefined,
    offset: offset + start,
    length: end - start,
  };
}

/** Converts a range in bytes of UTF-8, as Cedar counts, into UTF-16 code units. */
export function toCodeUnits(text: string, [start, end]: readonly [number, number]): [number, number] {
  const bytes = Buffer.from(text);
  const at = bytes.subarray(0, start).toString().length;
  return [at, at + bytes.subarray(start, end).toString().length];
}

function measureNesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const { text: token } of tokenize(text)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
