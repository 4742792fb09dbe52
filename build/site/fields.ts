/** Every kind and every field as a page of its own. */

import {
  EXPLAINED,
  EXPLAINED_FILES,
  type FieldLocation,
  findInnermost,
  locateRoot,
} from '../../compiler/explain/find-field.ts';
import { getFieldPage } from '../../compiler/explain/site-pages.ts';
import { FILE_SCHEMAS, type StructuralSchema } from '../../schemas/index.ts';

export interface Field extends FieldLocation {
  /** The path of the page, relative to the root of the site. */
  readonly output: string;
  /** The path to this field: the kind first, then each parent field. */
  readonly above: readonly Field[];
  /** Fields one level below, including those in lists and maps. */
  readonly fields: readonly Field[];
  /** The enclosing field with the same type, in a recursive type: its page has the fields of this one. */
  readonly sameAs: Field | undefined;
}

/** The name of a file that `lintel explain` does not accept, since no path of the command leads to it. */
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
  const inner = findInnermost(location);
  const { properties, title, required = [] } = inner.schema;
  const sameAs = title === undefined ? undefined : above.find(field => findInnermost(field).schema.title === title);
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
