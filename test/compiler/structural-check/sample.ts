/** Values that mostly satisfy a schema, and damage to them. */
import fc from 'fast-check';
import type { StructuralSchema } from '#schemas';
import { anyCharacter } from '../../support/any-character.ts';

/** Below this depth optional fields are omitted, so that samples stay small. */
const MAX_DEPTH = 6;

/** Values that a schema describes; some break a bound or a pattern, which the property allows for. */
export function sample(schema: StructuralSchema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string']) return fc.oneof(fc.integer(), fc.string({ maxLength: 5 }));
  if (schema['x-lintel-string-or-strings'])
    return fc.oneof(fc.string({ maxLength: 5 }), fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }));
  switch (schema.type) {
    case 'object':
      return object(schema, depth);
    case 'array': {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? 2, minLength + 2);
      return fc.array(sample(schema.items ?? {}, depth + 1), { minLength, maxLength });
    }
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 2 ** 31 - 1 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 5, noNaN: true });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function object(schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> {
  if (schema.properties) {
    const names = Object.keys(schema.properties).filter(name => depth < MAX_DEPTH || schema.required?.includes(name));
    const fields = names.map(name => [name, sample(schema.properties?.[name] ?? {}, depth + 1)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
  }
  const value = schema.additionalProperties
    ? sample(schema.additionalProperties, depth + 1)
    : fc.jsonValue({ maxDepth: 1 });
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), value, { maxKeys: 2 });
}

function text(schema: StructuralSchema): fc.Arbitrary<string> {
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map(date => date.toISOString());
  }
  const minLength = schema.minLength ?? 0;
  return fc.string({ minLength, maxLength: Math.min(schema.maxLength ?? 12, minLength + 12), unit: anyCharacter });
}

/** One change to a value: the number of the container (modulo their count), the entry in it, and the kind of change. */
export interface Damage {
  readonly container: number;
  readonly entry: number;
  readonly action: 'delete' | 'rename' | 'add' | 'replace' | 'nudge' | 'repeat' | 'clear';
  readonly value: unknown;
  /** For `nudge`: which value of the same type replaces the entry. */
  readonly pick: number;
}

const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1, 1.5, 70000, 2 ** 31, 2 ** 40, -(2 ** 31) - 1],
  ...[
    '',
    'x',
    '3',
    '😀',
    '30s',
    '5x',
    'a'.repeat(400),
    '2026-02-30T00:00:00Z',
    '2026-02-28T00:00:00+01:00',
    'https://a.b',
  ],
  ...[[], [null], ['a', 'a'], [{}], {}, { a: 1 }, { name: 'a' }, { type: 'a' }],
];

export const damage: fc.Arbitrary<Damage> = fc.record(
  {
    container: fc.nat(),
    entry: fc.nat(),
    action: fc.constantFrom('delete', 'rename', 'add', 'replace', 'nudge', 'nudge', 'nudge', 'repeat', 'clear'),
    value: fc.constantFrom(...VALUES),
    pick: fc.nat(),
  },
  { noNullPrototype: true },
);

/** A copy of `value` with the damages applied in order. */
export function damaged(value: unknown, damages: readonly Damage[]): unknown {
  const copy = structuredClone(value);
  for (const each of damages) {
    const all = containers(copy);
    const container = all[each.container % all.length];
    if (container) apply(container, each);
  }
  return copy;
}

type Container = Record<string, unknown> | unknown[];

function containers(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Container, ...Object.values(value).flatMap(containers)];
}

/** Another value of the same type as `before`, so that bounds, enums and formats are tested and not only types. */
function nudged(before: unknown, pick: number): unknown {
  const alike = VALUES.filter(each => typeof each === typeof before);
  return structuredClone(alike[pick % alike.length]);
}

function apply(container: Container, { entry, action, value, pick }: Damage): void {
  const fresh = structuredClone(value);
  if (Array.isArray(container)) {
    const at = container.length === 0 ? 0 : entry % container.length;
    if (action === 'delete') container.splice(at, 1);
    else if (action === 'clear') container.length = 0;
    else if (action === 'repeat' && container.length > 0) container.push(structuredClone(container[at]));
    else if (action === 'replace') container[at] = fresh;
    else if (action === 'nudge' && container.length > 0) container[at] = nudged(container[at], pick);
    else container.push(fresh);
    return;
  }
  const keys = Object.keys(container);
  const key = keys[entry % Math.max(1, keys.length)] ?? 'unlisted';
  if (action === 'add') container.unlisted = fresh;
  else if (action === 'rename' && key in container) container[`${key}s`] = container[key];
  if (action === 'delete' || action === 'rename') delete container[key];
  if (action === 'replace') container[key] = fresh;
  if (action === 'nudge' && key in container) container[key] = nudged(container[key], pick);
  if (action === 'clear') for (const each of keys) delete container[each];
}
