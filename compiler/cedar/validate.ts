/** Cedar's strict validation of the policies of a gateway, against the schema that its spec and the catalog give. */
import type { DetailedError, SchemaJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { NamedPolicy } from './authorization.ts';
import { askCedar } from './load-cedar.ts';
import { codeUnits } from './parse-policies.ts';
import type { Part } from './placed-text.ts';

export interface ValidationProblem {
  readonly message: string;
  readonly help: string | undefined;
  /** In the text of the policy; the whole of it where Cedar names no place. */
  readonly part: Part;
}

export interface Validation {
  readonly errors: readonly ValidationProblem[];
  readonly warnings: readonly ValidationProblem[];
}

const CLEAN: Validation = { errors: [], warnings: [] };

/** By schema, then by the text of a policy: many gateways share both. */
const cache = new Map<string, Map<string, Validation>>();
const MAX_SCHEMAS = 1_000;

/** What is wrong with each policy; nothing where Cedar itself gave up, which it does for depth only. */
export function validate(
  policies: readonly NamedPolicy[],
  schema: SchemaJson<string>,
): ReadonlyMap<NamedPolicy, Validation> {
  const known = knownFor(JSON.stringify(schema));
  const texts = [...new Set(policies.map(({ text }) => text))].filter(text => !known.has(text));
  if (texts.length > 0) for (const [text, found] of ask(texts, schema)) known.set(text, found);
  return new Map(policies.map(policy => [policy, known.get(policy.text) ?? CLEAN]));
}

function knownFor(schema: string): Map<string, Validation> {
  if (cache.size >= MAX_SCHEMAS) cache.clear();
  const known = cache.get(schema) ?? new Map<string, Validation>();
  cache.set(schema, known);
  return known;
}

function ask(texts: readonly string[], schema: SchemaJson<string>): readonly (readonly [string, Validation])[] {
  const staticPolicies = Object.fromEntries(texts.map((text, index) => [`policy${index}`, text]));
  const answer = askCedar(cedar => cedar.validate({ schema, policies: { staticPolicies } }));
  if (answer?.type === 'failure') throw new Error(`Cedar refused what it had parsed: ${answer.errors[0]?.message}`);
  return texts.map((text, index) => {
    const own = (found: readonly { readonly policyId: string; readonly error: DetailedError }[] = []) =>
      found.filter(({ policyId }) => policyId === `policy${index}`).map(({ error }) => problemOf(error, text));
    return [text, { errors: own(answer?.validationErrors), warnings: own(answer?.validationWarnings) }];
  });
}

function problemOf({ message, help, sourceLocations = [] }: DetailedError, text: string): ValidationProblem {
  const [span] = sourceLocations;
  const [start, end] = span === undefined ? [0, text.length] : codeUnits(text, [span.start, span.end]);
  const unnamed = (said: string) => said.replace(/^for policy `policy\d+`, /, '');
  return {
    message: unnamed(message),
    help: help === null ? undefined : unnamed(help),
    part: { offset: start, length: end - start },
  };
}
