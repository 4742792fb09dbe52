import type { StructuralSchema } from '#schemas';
import type { Path } from './violation.ts';

/** The schema of the value at a path; undefined when the schema has none. */
export function findSchemaAt(schema: StructuralSchema, path: Path): StructuralSchema | undefined {
  return path.reduce<StructuralSchema | undefined>((at, step) => {
    if (typeof step === 'number') return at?.items;
    return Object.hasOwn(at?.properties ?? {}, step) ? at?.properties?.[step] : at?.additionalProperties;
  }, schema);
}

/** The value at a path; undefined when there is none. */
export function getValueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    return (at as Record<string | number, unknown>)[step];
  }, value);
}
