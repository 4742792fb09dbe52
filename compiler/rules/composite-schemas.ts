import { findSchemaProblems, type SchemaProblem } from '../analysis/json-schema/check-schema.ts';
import { diagnose } from '../check/diagnose.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

const CODE_OF: Readonly<Record<SchemaProblem['is'], DiagnosticCode>> = {
  invalid: 'LNT7020',
  ignored: 'LNT7021',
  reference: 'LNT7022',
  slow: 'LNT7023',
  default: 'LNT7025',
  unchecked: 'LNT1020',
};

/** Members of `parameters` that `invalid-parameters.ts` checks. */
const CHECKED_ELSEWHERE: readonly unknown[] = ['type', 'properties', 'required'];

/**
 * Everything that clients get as a JSON Schema must be a valid one.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `schema`, `parameters` | valid JSON Schema in full, of 2020-12, 2019-09
 *   or draft-07; `$ref` leads to a schema in the same document, without cycles | LNT7020, LNT7021, LNT7022, LNT1020
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `schema`, `parameters` | no patterns that take too long; defaults fit
 *   the schema | LNT7023, LNT7025
 */
export function compositeSchemas(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => [
    ...(tool.parameters === undefined
      ? []
      : check(resource, tool.parameters, [...path, 'parameters'], CHECKED_ELSEWHERE)),
    ...tool.steps.flatMap(({ schema }, index) =>
      schema === undefined ? [] : check(resource, schema, [...path, 'steps', index, 'schema'], []),
    ),
  ]);
}

function check(
  resource: Resource,
  schema: Readonly<Record<string, unknown>>,
  path: Path,
  elsewhere: readonly unknown[],
): Diagnostic[] {
  return findSchemaProblems(schema).flatMap(({ is, path: below, message, at, fix }) => {
    if (is === 'invalid' && below.length === 1 && elsewhere.includes(below[0])) return [];
    return [
      diagnose(resource.document, CODE_OF[is], [...path, ...below], message, {
        ...(at && { at }),
        ...(fix && { fix }),
      }),
    ];
  });
}
