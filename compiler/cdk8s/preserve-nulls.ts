/**
 * Nulls in free-form fields are meaningful: in a JSON Schema, in the argument of a tool, in a patch of a pod template. cdk8s drops every null,
 * so they are replaced by a marker text during synthesis.
 */
import type { KnownFields } from '#schemas';

const NULL = '\u0000lintel.dev/null';

/** @param spec may be a lazy value, such as cdk8s' `Lazy` */
export function markNulls(spec: unknown, kind: string, known: KnownFields): unknown {
  const shape = known.specs[kind] ?? '';
  if (!isLater(spec)) return marked(spec, shape, known);
  const later = Object.create(spec, { produce: { value: () => marked(spec.produce(), shape, known) } });
  return later;
}

/** Replaces the markers by nulls again. */
export function unmarkNulls(value: unknown): unknown {
  if (value === NULL) return null;
  if (Array.isArray(value)) return value.map(unmarkNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarkNulls(member)]));
}

function marked(value: unknown, shape: string, known: KnownFields): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (shape === '') return markedInside(value);
  const mark = shape.slice(0, 2);
  const rest = shape.slice(2);
  if (Array.isArray(value)) return mark === '[]' ? value.map(item => marked(item, rest, known)) : value;
  if (!isPlain(value)) return value;
  const fields = known.types[shape] ?? {};
  const findShape = (name: string) =>
    mark === '{}' ? rest : Object.keys(fields).includes(name) ? fields[name] : undefined;
  return mapped(value, (member, name) => {
    const below = findShape(name);
    return below === undefined ? member : marked(member, below, known);
  });
}

/** A field that is null means the same as a missing field. */
function markedInside(value: object): unknown {
  if (Array.isArray(value)) return value.map(item => (item === null ? NULL : inside(item)));
  return isPlain(value) ? mapped(value, member => (member === null ? NULL : inside(member))) : value;
}

function inside(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? markedInside(value) : value;
}

function mapped(value: object, of: (member: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, of(member, name)]));
}

/** cdk8s resolves values that are not plain objects. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isLater(value: unknown): value is { produce(): unknown } {
  return typeof value === 'object' && value !== null && 'produce' in value && typeof value.produce === 'function';
}
