import { type Expression, getNode, type Json, type TextNode } from '../expression.ts';
import { isPlain, templateText } from './text.ts';
import { TemplateWriter } from './writer.ts';

/**
 * An argument of a tool in the form that a step requires. Only texts at the first level are templates, so lists and objects with values in
 * them become the text of their JSON, which the run reads again.
 *
 * @throws TypeError for a value that JSON cannot represent
 */
export function argument(value: unknown): Json {
  const node = getNode(value);
  if (node?.type === 'expression') return new TemplateWriter().value(node);
  if (node?.type === 'text') return new TemplateWriter().text(node);
  if (node?.type === 'template') return node.text;
  if (typeof value === 'string') return templateText([value]);
  const parts = jsonParts(value);
  const isLiteral = parts.every(part => typeof part === 'string' && isPlain(part));
  return isLiteral ? JSON.parse(parts.join('')) : new TemplateWriter().json(parts);
}

/** JSON text with holes for values. */
function jsonParts(value: unknown): readonly (string | Expression | TextNode)[] {
  const node = getNode(value);
  if (node !== undefined) {
    if (node.type === 'expression' || node.type === 'text') return [node];
    throw new TypeError(node.type === 'template' ? 'a template is a whole argument' : 'a condition is no argument');
  }
  if (Array.isArray(value)) return ['[', ...value.flatMap((item, at) => [...comma(at), ...jsonParts(item)]), ']'];
  if (typeof value === 'object' && value !== null) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notJson(value);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const parts = members.flatMap(([name, member], at) => [
      ...comma(at),
      JSON.stringify(name),
      ':',
      ...jsonParts(member),
    ]);
    return ['{', ...parts, '}'];
  }
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || isNumber) {
    return [JSON.stringify(value)];
  }
  throw notJson(value);
}

function comma(at: number): readonly string[] {
  return at === 0 ? [] : [','];
}

function notJson(value: unknown): TypeError {
  return new TypeError(`a ${typeof value === 'object' ? value?.constructor.name : typeof value} is no JSON value`);
}
