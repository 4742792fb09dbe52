/**
 * Finds what the API server would refuse in a CRD schema. The code follows the Kubernetes documentation and not the generator, so that it does
 * not repeat the generator's errors.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import type { CrdNode } from '../../../schemas/generate/crd.ts';

const ALLOWED: Readonly<Record<string, string>> = {
  type: 'string',
  description: 'string',
  format: 'string',
  pattern: 'string',
  nullable: 'boolean',
  exclusiveMinimum: 'boolean',
  exclusiveMaximum: 'boolean',
  'x-kubernetes-int-or-string': 'boolean',
  'x-kubernetes-preserve-unknown-fields': 'boolean',
  'x-kubernetes-list-type': 'string',
  'x-kubernetes-map-type': 'string',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  minLength: 'number',
  maxLength: 'number',
  minItems: 'number',
  maxItems: 'number',
  minProperties: 'number',
  maxProperties: 'number',
  enum: 'object',
  required: 'object',
  properties: 'object',
  additionalProperties: 'object',
  items: 'object',
  'x-kubernetes-list-map-keys': 'object',
  'x-kubernetes-validations': 'object',
};
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];
const SCALARS = ['string', 'integer', 'number', 'boolean'];
/** ECMAScript syntax that RE2 lacks: lookaround, named groups, backreferences, `\uXXXX`, `\cX`. */
const NOT_RE2 = /\(\?[=!<]|\\[1-9]|\\k<|\\u|\\c/;

/** Every problem of a node and its descendants, as `path: problem`. */
export function structuralProblems(node: CrdNode, path: string): string[] {
  const children: readonly (readonly [string, CrdNode])[] = [
    ...Object.entries((node.properties ?? {}) as Record<string, CrdNode>).map(([n, c]) => [`${path}.${n}`, c] as const),
    ...(node.items ? [[`${path}[]`, node.items as CrdNode] as const] : []),
    ...(node.additionalProperties ? [[`${path}.*`, node.additionalProperties as CrdNode] as const] : []),
  ];
  return [
    ...[...keywordProblems(node), ...typeProblems(node, path), ...listProblems(node)].map(
      problem => `${path}: ${problem}`,
    ),
    ...children.flatMap(([below, child]) => structuralProblems(child, below)),
  ];
}

function* keywordProblems(node: CrdNode): Generator<string> {
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === 'default') continue;
    if (ALLOWED[keyword] === undefined) yield `keyword ${keyword}`;
    else if (typeof value !== ALLOWED[keyword] || value === null) yield `${keyword} is ${JSON.stringify(value)}`;
  }
  if (node.default === null) yield 'a null default';
  if (typeof node.pattern === 'string' && NOT_RE2.test(node.pattern)) yield `RE2 does not read ${node.pattern}`;
  if (node.exclusiveMinimum !== undefined && node.minimum === undefined) yield 'exclusiveMinimum without minimum';
  if (node.exclusiveMaximum !== undefined && node.maximum === undefined) yield 'exclusiveMaximum without maximum';
  for (const rule of (node['x-kubernetes-validations'] ?? []) as readonly CrdNode[]) {
    if (typeof rule.rule !== 'string' || rule.rule.trim() === '') yield 'an empty rule';
    if (typeof rule.message !== 'string' || /^\s*$|\n/.test(rule.message)) yield 'a rule without a one-line message';
  }
}

function* typeProblems(node: CrdNode, path: string): Generator<string> {
  const loose = node['x-kubernetes-int-or-string'] === true || node['x-kubernetes-preserve-unknown-fields'] === true;
  if (node.type === undefined ? !loose : !TYPES.includes(node.type as string)) yield `type ${node.type}`;
  if (node['x-kubernetes-int-or-string'] === true && node.type !== undefined) yield 'int-or-string next to a type';
  if (node.properties && node.additionalProperties) yield 'properties next to additionalProperties';
  if ((node.properties || node.additionalProperties) && node.type !== 'object')
    yield 'fields of something else than an object';
  if (node.type === 'array' && !node.items) yield 'an array without items';
  if (
    node.type === 'object' &&
    !node.properties &&
    !node.additionalProperties &&
    !loose &&
    !/^[^.]*\.metadata$/.test(path)
  )
    yield 'an empty object';
  const names = Object.keys((node.properties ?? {}) as object);
  const stray = ((node.required ?? []) as readonly string[]).filter(name => !names.includes(name));
  if (stray.length > 0 && node.type === 'object') yield `requires ${stray}`;
}

function* listProblems(node: CrdNode): Generator<string> {
  const listType = node['x-kubernetes-list-type'];
  if (listType === undefined) return;
  const items = node.items as CrdNode | undefined;
  if (node.type !== 'array' || !items) return yield 'a list type without a list';
  if (listType === 'set' && !SCALARS.includes(items.type as string)) yield 'a set of non-scalars';
  if (listType !== 'map') return;
  for (const key of node['x-kubernetes-list-map-keys'] as readonly string[]) {
    const field = (items.properties as Record<string, CrdNode> | undefined)?.[key];
    if (!field || !SCALARS.includes(field.type as string)) yield `list-map key ${key} is no scalar field`;
    else if (field.default === undefined && !((items.required ?? []) as readonly string[]).includes(key))
      yield `list-map key ${key} is neither required nor defaulted`;
  }
}
