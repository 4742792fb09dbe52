/** Cedar's strict validation of the policies of a gateway, against the schema that its spec and the catalog give. */
import { createHash } from 'node:crypto';
import type { DetailedError, SchemaJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { TextSpan } from '../../source/locate-finding.ts';
import type { NamedPolicy } from './authorization.ts';
import { callCedar } from './load-cedar.ts';
import { toCodeUnits } from './parse-policies.ts';
import { createTextCache } from './text-cache.ts';

export interface ValidationProblem {
  readonly message: string;
  readonly help: string | undefined;
  /** The part of the policy's text that is wrong; the whole policy when Cedar gives no position. */
  readonly part: TextSpan;
}

export interface Validation {
  readonly errors: readonly ValidationProblem[];
  readonly warnings: readonly ValidationProblem[];
}

const CLEAN: Validation = { errors: [], warnings: [] };
const TOO_DEEP: Validation = {
  errors: [{ message: 'nested too deeply to be checked', help: undefined, part: { offset: 0, length: 0 } }],
  warnings: [],
};

/** Results, by the digest of the schema and the text or shape of a policy, which many gateways share. The limit counts the bytes of the texts. */
const cache = createTextCache<Validation>(8 * 1024 * 1024);

/** The problems of each policy. */
export function validate(
  policies: readonly NamedPolicy[],
  schema: SchemaJson<string>,
): ReadonlyMap<NamedPolicy, Validation> {
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  const validateTexts = (texts: readonly string[]): ReadonlyMap<string, Validation> => {
    const found = new Map<string, Validation>();
    const unknown: string[] = [];
    for (const text of new Set(texts)) {
      const known = cache.get(digest + text);
      if (known === undefined) unknown.push(text);
      else found.set(text, known);
    }
    for (const [text, validated] of unknown.length === 0 ? [] : ask(unknown, schema)) {
      found.set(text, validated);
      cache.set(digest + text, validated);
    }
    return found;
  };
  const byShape = validateTexts(policies.map(({ shape }) => shape));
  // Findings about a shape lack the positions and names of a policy, so policies whose shape has findings are also validated by their own texts.
  const isClean = ({ shape }: NamedPolicy) => byShape.get(shape) === CLEAN;
  const byText = validateTexts(policies.filter(policy => !isClean(policy)).map(({ text }) => text));
  return new Map(policies.map(policy => [policy, byText.get(policy.text) ?? CLEAN]));
}

function ask(texts: readonly string[], schema: SchemaJson<string>): readonly (readonly [string, Validation])[] {
  const staticPolicies = Object.fromEntries(texts.map((text, index) => [`policy${index}`, text]));
  const answer = callCedar(cedar => cedar.validate({ schema, policies: { staticPolicies } }));
  if (answer === undefined)
    return texts.length === 1 ? [[texts[0] ?? '', TOO_DEEP]] : texts.flatMap(text => ask([text], schema));
  // The policies parse, so the schema is at fault: a type has a reserved name of Cedar.
  if (answer.type === 'failure') {
    const message = `cannot be checked: ${answer.errors[0]?.message ?? 'Cedar refuses the types that it is about'}`;
    const errors = [{ message, help: undefined, part: { offset: 0, length: 0 } }];
    return texts.map(text => [text, { errors, warnings: [] }]);
  }
  return texts.map((text, index) => {
    const own = (found: readonly { readonly policyId: string; readonly error: DetailedError }[]) =>
      found.filter(({ policyId }) => policyId === `policy${index}`).map(({ error }) => toProblem(error, text));
    const [errors, warnings] = [own(answer.validationErrors), own(answer.validationWarnings)];
    return [text, errors.length + warnings.length === 0 ? CLEAN : { errors, warnings }];
  });
}

function toProblem({ message, help, sourceLocations = [] }: DetailedError, text: string): ValidationProblem {
  const [span] = sourceLocations;
  const [start, end] = span === undefined ? [0, text.length] : toCodeUnits(text, [span.start, span.end]);
  const unnamed = (cedarMessage: string) => cedarMessage.replace(/^for policy `policy\d+`, /, '');
  return {
    message: unnamed(message),
    help: help === null ? undefined : unnamed(help),
    part: { offset: start, length: end - start },
  };
}
