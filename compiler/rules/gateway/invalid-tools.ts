import type { CatalogItem } from '#schemas';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { GatewayModel } from '../../gateway/model.ts';
import { schemaProblem } from '../../json-schema/schema-problem.ts';
import { diagnose } from '../../resolve/diagnose.ts';
import { isMapping } from '../../source/is-mapping.ts';
import { backendOf } from './places.ts';

/** Combinations that model interfaces refuse at the top of an input schema. */
const REFUSED_AT_TOP = ['allOf', 'anyOf', 'oneOf'];

/** Schemas are shared by all gateways that show the tool, so each is judged once. */
const inputProblems = new WeakMap<object, string | null>();
const outputProblems = new WeakMap<object, string | null>();

/** One tool with a schema that a client cannot read may cost that client the whole list. */
export function invalidTools(gateway: GatewayModel): Diagnostic[] {
  return gateway.tools.flatMap(({ advertised, backend, originalName, definition }) => {
    const problem = advertised ? toolProblem(definition) : undefined;
    const origin = problem === undefined ? undefined : backendOf(gateway, backend)?.origin;
    if (origin === undefined) return [];
    const message = `clients may refuse the tool "${originalName}" of "${backend}", and all others with it: ${problem}`;
    return [diagnose(origin.resource.document, 'LNT3026', origin.path, message)];
  });
}

function toolProblem({ inputSchema, outputSchema }: CatalogItem): string | undefined {
  const input = isMapping(inputSchema)
    ? remembered(inputProblems, inputSchema, inputProblem)
    : 'it has no input schema';
  if (input !== undefined || outputSchema === undefined) return input;
  return isMapping(outputSchema)
    ? remembered(outputProblems, outputSchema, schema => objectProblem('output schema', schema))
    : 'its output schema is no schema';
}

function inputProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  const refused = REFUSED_AT_TOP.find(keyword => Object.hasOwn(schema, keyword));
  return (
    objectProblem('input schema', schema) ??
    (refused === undefined ? undefined : `its input schema has ${refused} at the top level`)
  );
}

/** The specification demands `"type": "object"` of both. */
function objectProblem(what: string, schema: Readonly<Record<string, unknown>>): string | undefined {
  if (schema.type !== 'object') return `the type of its ${what} is not "object"`;
  const problem = schemaProblem(schema);
  return problem === undefined ? undefined : `in its ${what}, ${problem}`;
}

function remembered<T extends object>(
  known: WeakMap<object, string | null>,
  schema: T,
  judge: (schema: T) => string | undefined,
): string | undefined {
  const before = known.get(schema);
  if (before !== undefined) return before ?? undefined;
  const problem = judge(schema);
  known.set(schema, problem ?? null);
  return problem;
}
