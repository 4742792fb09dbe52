/** The code for the result of a workflow. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import { type OutputProperties, renderOutput } from '../../cdk8s/workflow/output.ts';
import type { Reference } from '../../cdk8s/workflow/reference.ts';
import type { ConsumedMapping } from '../constructs/block.ts';
import { NotRepresentable } from '../constructs/not-representable.ts';
import { isText, oneOf } from '../constructs/prop-guards.ts';
import { type CallCode, type Code, type CommentedMember, call, type ObjectCode, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import type { ExportScope } from './scope.ts';
import { emitTemplate } from './template-code.ts';

/** TypeScript types by JSON Schema type. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'readonly unknown[]',
  object: 'object',
};

/** The code `workflow.returns(…)`. @throws NotRepresentable */
export function emitOutput(block: ConsumedMapping, scope: ExportScope): CallCode {
  const properties = block.block('properties');
  if (properties === undefined) throw new NotRepresentable('the output has no `properties`.');
  const code = emitProperties(properties, scope);
  const names = new Set(code.members.map(({ key }) => key));
  const required = block.prop(
    'required',
    'required',
    all => Array.isArray(all) && all.every(value => names.has(value)),
  );
  block.done();
  const options = required.length === 0 ? [] : [{ type: 'object', members: required } as const];
  return call(`${scope.workflow}.returns`, code, ...options);
}

function emitProperties(block: ConsumedMapping, scope: ExportScope): ObjectCode {
  const members = block.fields().map((name): CommentedMember => {
    const at = block.block(name);
    if (at === undefined) throw new NotRepresentable('a property of the output is empty.');
    const comments = block.writer.comments.at(at.path);
    return { key: name, comments, value: emitProperty(at, scope) };
  });
  return { type: 'object', members };
}

function emitProperty(block: ConsumedMapping, scope: ExportScope): Code {
  const type = `${block.peek('type')}`;
  const head = [
    ...block.required('type', 'type', oneOf(...Object.keys(TYPES))),
    ...block.required('description', 'description', isText),
  ];
  const properties = block.block('properties');
  if (properties !== undefined) {
    const nested = block.emit('properties', 'properties', emitProperties(properties, scope));
    block.done();
    if (type !== 'object')
      throw new NotRepresentable('a property of the output has `properties`, but not the type `object`.');
    return { type: 'object', members: [...head, ...nested] };
  }
  const value = block.take('value');
  const otherwise = block.take('default');
  if (typeof value !== 'string')
    throw new NotRepresentable('the `value` of a property of the output is missing or not a text.');
  if (otherwise !== undefined && !isOfType(otherwise, type))
    throw new NotRepresentable('the `default` of a property of the output does not have the type of the property.');
  const members = [
    ...head,
    ...block.emit('value', 'value', emitOutputValue(value, type, otherwise, scope)),
    ...block.prop('default'),
  ];
  block.done();
  return { type: 'object', members };
}

/** A value of the program, if it renders to the same text, otherwise the template. */
function emitOutputValue(text: string, type: string, otherwise: unknown, scope: ExportScope): Code {
  const emitted = emitTemplate(text, scope);
  const isFit =
    emitted !== undefined &&
    (emitted.value === undefined ? type === 'string' && otherwise === undefined : isOfKind(emitted.value.kind, type));
  if (isFit && isRenderedSo(emitted.node as Reference<string>, text, type, otherwise)) return emitted.code;
  return call(`Value.template${type === 'string' ? '' : `<${TYPES[type]}>`}`, plain(formatStringLiteral(text)));
}

function isRenderedSo(value: unknown, text: string, type: string, otherwise: unknown): boolean {
  const property = { type, description: '', value, ...(otherwise !== undefined && { default: otherwise }) };
  const rendered = renderOutput({ it: property } as unknown as OutputProperties);
  return isDeepStrictEqual(rendered.it, { ...property, value: text });
}

function isOfKind(kind: unknown, type: string): boolean {
  if (Array.isArray(kind)) return type === 'array';
  if (typeof kind === 'object') return type === 'object';
  const number = type === 'integer' || type === 'number';
  return kind === type || (number && (kind === 'number' || kind === 'count'));
}

function isOfType(value: unknown, type: string): boolean {
  if (Array.isArray(value)) return type === 'array';
  if (isObject(value)) return type === 'object';
  return isOfKind(typeof value, type);
}
