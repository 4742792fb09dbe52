/** Finds where a misplaced field belongs: a line with wrong indentation has a valid name in the wrong object. */
import type { StructuralSchema } from '#schemas';
import type { Path } from './violation.ts';

/** How many levels up to search. */
const MAX_UP = 2;

/**
 * The nearest object that has the field: a parent of the object that contains it, or a direct child of the object or of a parent. Undefined when
 * none is found, or several are equally near.
 *
 * @param path of the unknown field
 * @returns the path of the object
 */
export function findOtherLocation(schema: StructuralSchema, path: Path): Path | undefined {
  const field = String(path.at(-1));
  const parents = path.slice(0, -1);
  const nearby: { readonly distance: number; readonly fieldPath: Path }[] = [];
  for (let up = 0; up <= MAX_UP && up < parents.length; up++) {
    const around = parents.slice(0, parents.length - up);
    const object = findSchemaAt(schema, around);
    if (object === undefined) continue;
    if (up > 0 && hasField(object, field)) nearby.push({ distance: up, fieldPath: around });
    for (const [name, member] of Object.entries(object.properties ?? {})) {
      const isWhereItIs = up > 0 && parents[around.length] === name;
      if (!isWhereItIs && hasField(member, field)) nearby.push({ distance: up + 1, fieldPath: [...around, name] });
    }
  }
  const nearest = Math.min(...nearby.map(({ distance }) => distance));
  const [one, ...others] = nearby.filter(({ distance }) => distance === nearest);
  return others.length === 0 ? one?.fieldPath : undefined;
}

function hasField({ properties }: StructuralSchema, field: string): boolean {
  return properties !== undefined && Object.hasOwn(properties, field);
}

function findSchemaAt(schema: StructuralSchema, path: Path): StructuralSchema | undefined {
  return path.reduce<StructuralSchema | undefined>((at, step) => {
    if (typeof step === 'number') return at?.items;
    return at?.properties !== undefined && Object.hasOwn(at.properties, step)
      ? at.properties[step]
      : at?.additionalProperties;
  }, schema);
}
