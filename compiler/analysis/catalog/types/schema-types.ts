/**
 * From a JSON Schema to TypeScript. A type may allow more than its schema, never less: keywords that types cannot express, such as `pattern` or
 * `not`, become comments or are dropped. One exception is deliberate: a type refuses members that the schema does not mention, so that a
 * misspelt argument is an error.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core
 */
import { compareText, isObject } from '#schemas';
import { measureBreadth } from './breadth.ts';
import { formatDocComment } from './doc-comment.ts';
import { formatMemberName, formatTextLiteral, toPascalCase, type UniqueNames } from './names.ts';
import { isMadeOf, parseLocalReference, resolvePointer } from './references.ts';
import { atom, formatListType, intersection, NEVER, parenthesize, type TypeText, UNKNOWN, union } from './type-text.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Maximum nesting of types; deeper ones become `unknown`. */
const MAX_DEPTH = 20;
/** Maximum number of subschemas of one tool; further ones become `unknown`. */
const MAX_SCHEMAS = 5000;
/** Maximum number of members of one union. */
const MAX_BREADTH = 1000;
/** Maximum number of literals of one enum; a longer enum becomes its types. */
const MAX_LITERALS = 200;
/** Maximum number of tuple elements that are written one by one. */
const MAX_ELEMENTS = 50;
/** Maximum length of an index signature that repeats the members' types. */
const MAX_INDEX = 200;

const TYPES: Readonly<Record<string, TypeText>> = {
  string: atom('string'),
  number: atom('number'),
  integer: atom('number'),
  boolean: atom('boolean'),
  null: atom('null'),
};

const OBJECT_KEYWORDS = ['properties', 'required', 'additionalProperties', 'patternProperties'];
const LIST_KEYWORDS = ['items', 'prefixItems'];

/** Before draft 2019-09, keywords next to `$ref` are ignored. */
const OLD_DIALECT = /draft-0[3-7]/;

interface TypePosition {
  readonly depth: number;
  readonly indent: string;
  /** The pointer of the declaration that directly contains the type; undefined inside of a member. */
  readonly within: string | undefined;
}

/** The types of one schema: one for the whole, and one for each part that a `$ref` names. */
export class SchemaTypes {
  readonly #root: Schema;
  readonly #names: UniqueNames;
  readonly #prefix: string;
  readonly #isOld: boolean;
  readonly #declared = new Map<string, string>();
  #remaining = MAX_SCHEMAS;

  /** @param name unused name for the type of the whole schema; names of its parts start with it */
  constructor(root: Schema, name: string, names: UniqueNames) {
    this.#root = root;
    this.#names = names;
    this.#prefix = name;
    this.#isOld = typeof root.$schema === 'string' && OLD_DIALECT.test(root.$schema);
    this.#declared.set('', names.take(name));
  }

  get name(): string {
    return this.#declared.get('') ?? this.#prefix;
  }

  /**
   * The declarations.
   * @param about comment for the type of the whole schema
   * @param mustBeObject for places where TypeScript requires an object type, even if the schema describes another type
   */
  listDeclarations(about: readonly string[], mustBeObject: boolean): string[] {
    const texts: string[] = [];
    // References found on the way are declared too.
    for (const [pointer, name] of this.#declared) {
      const schema = resolvePointer(this.#root, pointer);
      const isWhole = pointer === '';
      const comment = formatDocComment(isWhole ? about : [readText(schema, 'description')], '');
      texts.push(`${comment}${this.#formatDeclaration(name, schema, pointer, isWhole && mustBeObject)}`);
    }
    return texts;
  }

  #formatDeclaration(name: string, schema: unknown, pointer: string, mustBeObject: boolean): string {
    const type = this.#toType(schema, { depth: 0, indent: '', within: pointer });
    if (type.form === 'atom' && type.text.startsWith('{')) return `export interface ${name} ${type.text}\n`;
    return `export type ${name} = ${mustBeObject ? intersection([atom('object'), type]).text : type.text};\n`;
  }

  #toType(schema: unknown, position: TypePosition): TypeText {
    if (schema === false) return NEVER;
    if (!isObject(schema) || position.depth > MAX_DEPTH || this.#remaining <= 0) return UNKNOWN;
    this.#remaining -= 1;
    const { $ref, allOf, anyOf, oneOf } = schema;
    const referred = $ref === undefined ? [] : [this.#toReferenceType($ref, position)];
    if (referred.length > 0 && this.#isOld) return intersection(referred);
    // Alternatives multiply, and TypeScript gives up on too many.
    if (measureBreadth(schema, this.#root) > MAX_BREADTH) return this.#toOwnType(schema, position);
    const all = (parts: unknown) => (Array.isArray(parts) ? parts.map(part => this.#toType(part, position)) : []);
    const one = (parts: unknown) => (Array.isArray(parts) && parts.length > 0 ? [union(all(parts))] : []);
    return intersection([this.#toOwnType(schema, position), ...referred, ...all(allOf), ...one(anyOf), ...one(oneOf)]);
  }

  #toReferenceType(reference: unknown, { within }: TypePosition): TypeText {
    const pointer = parseLocalReference(reference);
    const target = pointer === undefined ? undefined : resolvePointer(this.#root, pointer);
    if (pointer === undefined || target === undefined) return UNKNOWN;
    if (within !== undefined && isMadeOf(this.#root, pointer, within)) return UNKNOWN;
    const known = this.#declared.get(pointer);
    if (known !== undefined) return atom(known);
    const name = this.#names.take(`${this.#prefix}${toPascalCase(pointer.slice(pointer.lastIndexOf('/') + 1))}`);
    this.#declared.set(pointer, name);
    return atom(name);
  }

  /** The type of a schema without its alternatives and references. */
  #toOwnType(schema: Schema, position: TypePosition): TypeText {
    const { type, nullable } = schema;
    const names = typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined;
    if (Object.hasOwn(schema, 'const')) return toLiteralType(schema.const, position.depth);
    if (Array.isArray(schema.enum)) return this.#toChoiceType(schema.enum, names);
    if (names === undefined) return this.#toImpliedType(schema, position);
    const types = names.map(name => {
      if (name === 'object') return this.#toObjectType(schema, position);
      if (name === 'array') return this.#list(schema, position);
      return (typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined) ?? UNKNOWN;
    });
    // `nullable` of OpenAPI 3.0, which converters leave in schemas.
    return nullable === true ? union([...types, atom('null')]) : union(types);
  }

  #toChoiceType(values: readonly unknown[], names: readonly unknown[] | undefined): TypeText {
    if (values.length > MAX_LITERALS) return union(values.map(toWideType));
    const fitting = values.filter(value => names === undefined || names.some(name => isOfType(value, name)));
    return union(fitting.map(value => toLiteralType(value, 0)));
  }

  /** A schema without `type`, but with keywords that apply to one type only. */
  #toImpliedType(schema: Schema, position: TypePosition): TypeText {
    if (OBJECT_KEYWORDS.some(keyword => Object.hasOwn(schema, keyword))) return this.#toObjectType(schema, position);
    return LIST_KEYWORDS.some(keyword => Object.hasOwn(schema, keyword)) ? this.#list(schema, position) : UNKNOWN;
  }

  #list(schema: Schema, position: TypePosition): TypeText {
    const { items, prefixItems, additionalItems } = schema;
    const within = { ...position, depth: position.depth + 1 };
    const prefix = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    if (prefix.length === 0) return formatListType(this.#toType(rest ?? true, within));
    if (prefix.length > MAX_ELEMENTS) return formatListType(UNKNOWN);
    const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
    const elements = prefix.map((element, index) => {
      const type = this.#toType(element, within);
      return index < least ? type.text : `${parenthesize(type)}?`;
    });
    const others = this.#toType(rest ?? true, within);
    const tail = others.text === 'never' ? [] : [`...${parenthesize(others)}[]`];
    return { text: `readonly [${[...elements, ...tail].join(', ')}]`, form: 'list' };
  }

  #toObjectType(schema: Schema, position: TypePosition): TypeText {
    const { properties, patternProperties, additionalProperties } = schema;
    const inner: TypePosition = { depth: position.depth + 1, indent: `${position.indent}  `, within: undefined };
    const described = isObject(properties) ? properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required.filter(isText) : []);
    const names = [...new Set([...Object.keys(described), ...required])].sort(compareText);
    const members = names.map(name => {
      const member = Object.hasOwn(described, name) ? described[name] : true;
      return { name, member, isRequired: required.has(name), type: this.#toType(member, inner) };
    });
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
    const index = this.#index(additionalProperties, patterns, members, inner);
    const lines = members.map(({ name, member, isRequired, type }) => {
      const comment = formatMemberComment(member, inner.indent);
      return `${comment}${inner.indent}readonly ${formatMemberName(name)}${isRequired ? '' : '?'}: ${type.text};\n`;
    });
    if (index !== undefined) lines.push(`${inner.indent}readonly [name: string]: ${index};\n`);
    return atom(`{\n${lines.join('')}${position.indent}}`);
  }

  /** The type of undescribed members; undefined when none are allowed. */
  #index(
    additional: unknown,
    patterns: readonly unknown[],
    members: readonly { readonly isRequired: boolean; readonly type: TypeText }[],
    inner: TypePosition,
  ): string | undefined {
    if (additional === undefined) return patterns.length > 0 || members.length === 0 ? 'unknown' : undefined;
    const others = [...patterns, additional].map(schema => this.#toType(schema, inner));
    const type = union(others);
    if (type.text === 'never') return members.length === 0 ? 'never' : undefined;
    // TypeScript requires an index signature to allow the types of all members.
    const optional = members.some(({ isRequired }) => !isRequired) ? [atom('undefined')] : [];
    const wide = union([type, ...members.map(member => member.type), ...optional]);
    return members.length > 0 && (wide.text.length > MAX_INDEX || wide.text.includes('\n')) ? 'unknown' : wide.text;
  }
}

function formatMemberComment(schema: unknown, indent: string): string {
  if (!isObject(schema)) return '';
  const notes = NOTES.flatMap(([keyword, label]) =>
    Object.hasOwn(schema, keyword) ? [`${label}: ${formatValue(schema[keyword])}.`] : [],
  );
  const tags = schema.deprecated === true ? ['@deprecated'] : [];
  return formatDocComment(
    [readText(schema, 'description') || readText(schema, 'title'), notes.join(' ')],
    indent,
    tags,
  );
}

/** Keywords that types cannot express. */
const NOTES = [
  ['default', 'Default'],
  ['format', 'Format'],
  ['pattern', 'Pattern'],
  ['minimum', 'At least'],
  ['exclusiveMinimum', 'Above'],
  ['maximum', 'At most'],
  ['exclusiveMaximum', 'Below'],
  ['multipleOf', 'Multiple of'],
  ['minLength', 'Least length'],
  ['maxLength', 'Greatest length'],
  ['minItems', 'Fewest items'],
  ['maxItems', 'Most items'],
] as const;

function formatValue(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function readText(schema: unknown, keyword: 'title' | 'description'): string {
  const text = isObject(schema) ? schema[keyword] : undefined;
  return isText(text) ? text : '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function toLiteralType(value: unknown, depth: number): TypeText {
  if (depth > MAX_DEPTH) return UNKNOWN;
  if (isText(value)) return atom(formatTextLiteral(value));
  if (typeof value === 'number') return atom(String(value));
  if (typeof value === 'boolean' || value === null) return atom(String(value));
  if (Array.isArray(value)) {
    return { text: `readonly [${value.map(item => toLiteralType(item, depth + 1).text).join(', ')}]`, form: 'list' };
  }
  if (!isObject(value)) return toWideType(value);
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  const texts = members.map(
    ([name, member]) => `readonly ${formatMemberName(name)}: ${toLiteralType(member, depth + 1).text}`,
  );
  return atom(texts.length === 0 ? '{ readonly [name: string]: never }' : `{ ${texts.join('; ')} }`);
}

function toWideType(value: unknown): TypeText {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return atom(typeof value);
    case 'number':
    case 'bigint':
      return atom('number');
    default:
      return value === null ? atom('null') : UNKNOWN;
  }
}

function isOfType(value: unknown, name: unknown): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
    case 'boolean':
      return typeof value === name;
    default:
      return true;
  }
}
