/** The text of one TypeScript type and of its comments. */
import { listFacts } from './facts.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Widest line of a comment, in characters. */
const WIDTH = 116;

/** Whether an object gets an interface of its own. Maps and free-form values are written inline. */
export function isInterface(schema: StructuralSchema): boolean {
  return schema.type === 'object' && schema.properties !== undefined;
}

/** The fields of an object, each with its comment, indented by two. */
export function formatFieldLines(schema: StructuralSchema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, child]) => {
    const optional = !schema.required?.includes(name);
    return formatFieldLine(name, child, { optional, type: formatType(child) });
  });
  const open = schema['x-kubernetes-preserve-unknown-fields'] ? '  readonly [key: string]: unknown;\n' : '';
  return fields.join('') + open;
}

/** One field with its comment, indented by two. */
export function formatFieldLine(
  name: string,
  schema: StructuralSchema,
  { optional, type }: { readonly optional: boolean; readonly type: string },
): string {
  return `${formatDocComment(listSchemaDoc(schema), '  ')}  readonly ${formatKey(name)}${optional ? '?' : ''}: ${type};\n`;
}

/** The TypeScript type of a schema. */
export function formatType(schema: StructuralSchema): string {
  const text = formatBareType(schema);
  return schema.nullable && text !== 'unknown' ? `${text} | null` : text;
}

function formatBareType(schema: StructuralSchema): string {
  if (schema.enum) return schema.enum.map(value => formatLiteral(value)).join(' | ');
  if (schema['x-kubernetes-int-or-string']) return 'number | string';
  if (schema['x-lintel-string-or-strings']) return 'string | readonly string[]';
  if (isInterface(schema)) return schema.title ?? 'unknown';
  switch (schema.type) {
    case 'object':
      return `{ readonly [key: string]: ${schema.additionalProperties ? formatType(schema.additionalProperties) : 'unknown'} }`;
    case 'array':
      return `readonly ${parenthesize(schema.items ? formatType(schema.items) : 'unknown')}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return schema.type;
    default:
      return 'unknown';
  }
}

/** Lines of the comment: the description, the constraints that the type does not express, then the deprecation tag. */
export function listSchemaDoc(schema: StructuralSchema): string[] {
  const constraints = listFacts(schema).map(fact => `- ${fact}`);
  return [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(constraints.length === 0 ? [] : ['', ...constraints]),
    ...(schema.deprecated ? ['', '@deprecated See the description.'] : []),
  ];
}

/** A TSDoc comment, wrapped; empty when there is nothing to write. */
export function formatDocComment(lines: readonly string[], indent: string): string {
  const width = WIDTH - indent.length - 3;
  const wrapped = lines.flatMap(line => line.split('\n')).flatMap(line => wrap(line.replaceAll('*/', '*\\/'), width));
  const [only] = wrapped;
  if (only === undefined) return '';
  if (wrapped.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${wrapped.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function wrap(line: string, width: number): string[] {
  const out: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      out.push(current);
      current = line.startsWith('- ') ? `  ${word}` : word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...out, current];
}

function parenthesize(text: string): string {
  return text.includes(' | ') || text.startsWith('readonly ') ? `(${text})` : text;
}

/** A value as a literal type. */
export function formatLiteral(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The name of a field, in quotes where it needs them. */
export function formatKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatLiteral(name);
}
