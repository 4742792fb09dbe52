/** Damaged versions of the rich template, generated from the schema: one for each way in which a part can be wrong. */
import { getPodTemplateSchema, type PodSchema } from '../../../compiler/analysis/pods/pod-schema.ts';
import { richTemplate, type Template } from './rich-template.ts';

type Path = readonly (string | number)[];

interface Damage {
  readonly title: string;
  /** Undefined removes the part. */
  readonly value: unknown;
}

/** By title, such as `spec.dnsPolicy "nonsense"`. */
export function mutations(): ReadonlyMap<string, Template> {
  const found = new Map<string, Template>([['the rich template as it is', richTemplate()]]);
  for (const { path, schema, value, isRequired } of partsOf(richTemplate(), getPodTemplateSchema(), [], false)) {
    for (const { title, value: damaged } of damagesOf(schema, value, isRequired)) {
      found.set(`${placeText(path)} ${title}`, withValue(path, damaged));
    }
  }
  return found;
}

interface PlacedPart {
  readonly path: Path;
  readonly schema: PodSchema;
  readonly value: unknown;
  readonly isRequired: boolean;
}

function* partsOf(value: unknown, schema: PodSchema, path: Path, isRequired: boolean): Generator<PlacedPart> {
  if (path.length > 0) yield { path, schema, value, isRequired };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* partsOf(item, schema.items ?? {}, [...path, index], false);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const child = schema.properties?.[name] ?? schema.additionalProperties ?? {};
      yield* partsOf(member, child, [...path, name], schema.required?.includes(name) === true);
    }
  }
}

function damagesOf(schema: PodSchema, value: unknown, isRequired: boolean): Damage[] {
  const gone = isRequired ? [{ title: 'taken away', value: undefined }] : [];
  if (Array.isArray(value)) return [...gone, { title: 'as a mapping', value: {} }];
  if (typeof value === 'object' && value !== null) {
    const more =
      schema.properties === undefined ? [] : [{ title: 'with an unknown member', value: { ...value, unknwon: 1 } }];
    return [...gone, ...more, { title: 'as text', value: 'text' }];
  }
  if (schema['x-lintel-quantity']) return [...gone, { title: '"1 Gi"', value: '1 Gi' }, { title: '"-1"', value: '-1' }];
  if (schema['x-kubernetes-int-or-string']) return [...gone, { title: 'true', value: true }, { title: '0', value: 0 }];
  switch (schema.type) {
    case 'string':
      return [
        ...gone,
        { title: 'empty', value: '' },
        { title: '5', value: 5 },
        ...(schema.enum === undefined ? [] : [{ title: '"nonsense"', value: 'nonsense' }]),
      ];
    case 'integer':
      return [
        ...gone,
        { title: '-1', value: -1 },
        { title: '0', value: 0 },
        { title: '2 to the 40th', value: 2 ** 40 },
        { title: '"1"', value: '1' },
      ];
    default:
      return [...gone, { title: '"yes"', value: 'yes' }];
  }
}

function withValue(path: Path, value: unknown): Template {
  const template = richTemplate();
  let parent = template as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return template;
}

function placeText(path: Path): string {
  return path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}
