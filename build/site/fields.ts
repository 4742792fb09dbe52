/** Every kind and every field as a page of its own. */

import {
  EXPLAINED,
  EXPLAINED_FILES,
  type FieldLocation,
  innermost,
  locateRoot,
} from '../../compiler/explain/field-place.ts';
import { getFieldPage } from '../../compiler/explain/site-pages.ts';
import { FILE_SCHEMAS, type StructuralSchema } from '../../schemas/index.ts';

export interface Field extends FieldLocation {
  /** From the root of the site. */
  readonly output: string;
  /** The kind first, then each field around this one. */
  readonly above: readonly Field[];
  /** One level below, in lists and maps of it. */
  readonly fields: readonly Field[];
  /** The field around this one whose type this one has again, so that its fields are those of that one. */
  readonly sameAs: Field | undefined;
}

/** Explained by no name, since no path of a command leads there. */
const WORKFLOW_TEST = 'WorkflowTestFile';

/** The kinds and files, each with its fields. */
export function readFields(): readonly Field[] {
  const named = [...EXPLAINED, ...EXPLAINED_FILES].map(locateRoot);
  const tests = { kind: WORKFLOW_TEST, path: WORKFLOW_TEST, schema: FILE_SCHEMAS[WORKFLOW_TEST], isRequired: true };
  return [...named, tests].map(location => createField(location, []));
}

/** A field and all below it, in the order of the schema. */
export function allFields(field: Field): readonly Field[] {
  return [field, ...field.fields.flatMap(allFields)];
}

function createField(location: FieldLocation, above: readonly Field[]): Field {
  const inner = innermost(location);
  const { properties, title, required = [] } = inner.schema;
  const sameAs = title === undefined ? undefined : above.find(field => innermost(field).schema.title === title);
  const fields: Field[] = [];
  const field: Field = { ...location, output: getFieldPage(location.path), above, fields, sameAs };
  if (sameAs !== undefined) return field;
  for (const [name, schema] of Object.entries<StructuralSchema>(properties ?? {})) {
    const path = `${inner.path}.${name}`;
    fields.push(
      createField({ kind: location.kind, path, schema, isRequired: required.includes(name) }, [...above, field]),
    );
  }
  return field;
}
