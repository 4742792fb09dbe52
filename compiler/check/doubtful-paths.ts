import type { StructuralSchema } from '#schemas';
import { findNearest } from '#shared/util';
import { isPlainObject } from '../text/value-types.ts';
import { findSchemaAt, getValueAt } from './schema-at.ts';
import { DEFAULT_VIOLATION_LIMIT } from './structural.ts';
import type { Path, Violation } from './violation.ts';

/**
 * The parts of an object whose values depend on correcting its violations, as paths from its root. For an unknown field these are the fields
 * that it may be a misspelling of: missing fields, and among them those with a similar name if there are any.
 *
 * @param value as it was written
 * @returns undefined when there are so many violations that the check did not collect all of them
 */
export function findDoubtfulPaths(
  schema: StructuralSchema,
  value: unknown,
  violations: readonly Violation[],
): readonly Path[] | undefined {
  if (violations.length >= DEFAULT_VIOLATION_LIMIT) return undefined;
  return violations.flatMap(violation => listOpenedPaths(violation, schema, value));
}

function listOpenedPaths({ path, kind, field }: Violation, schema: StructuralSchema, value: unknown): readonly Path[] {
  const holder = path.slice(0, -1);
  switch (kind) {
    case 'unknown-field':
      return [path, ...listMeantNames(String(field), schema, value, holder).map(name => [...holder, name])];
    case 'missing-field':
      return [[...path, String(field)]];
    // Any of the duplicates may be the one to change.
    case 'duplicate-item':
      return [holder];
    default:
      return [path];
  }
}

function listMeantNames(name: string, schema: StructuralSchema, value: unknown, holder: Path): readonly string[] {
  const known = Object.keys(findSchemaAt(schema, holder)?.properties ?? {});
  const authored = getValueAt(value, holder);
  const near = known.filter(candidate => findNearest(name, [candidate]) !== undefined);
  const absent = known.filter(candidate => !(isPlainObject(authored) && Object.hasOwn(authored, candidate)));
  return near.some(candidate => absent.includes(candidate)) ? near : [...near, ...absent];
}
