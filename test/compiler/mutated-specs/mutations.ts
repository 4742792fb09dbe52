/** One mistake at one place: the changed text, the place of the mistake, and what a finding about it must look like. */
import { isCollection, type Node, type Pair } from 'yaml';
import type { StructuralSchema } from '#schemas';
import { findTarget, isBackendKey } from './references.ts';
import type { Seeded } from './seeded.ts';
import type { Member, Site } from './sites.ts';

export type Span = { readonly start: number; readonly end: number };

export interface Mutation {
  /** The name of the mistake in messages, such as `spec.config.name: typo`. */
  readonly title: string;
  readonly text: string;
  /** A finding must overlap one of these: contain it or lie inside it. */
  readonly at: readonly Span[];
  /** A word that the message must contain. */
  readonly names?: string;
  /** Set if only a hint or a warning is possible. */
  readonly mildly?: true;
}

type Maker = (text: string, site: Site, random: Seeded) => Mutation[];

/** The kinds of mistakes. */
export const MISTAKES = {
  'a typo in a key': typoInKey,
  'a wrong type': wrongType,
  'out of bounds': outOfBounds,
  'not in the enum': notInEnum,
  'a broken pattern': brokenPattern,
  'a dangling reference': danglingReference,
  'a missing field': missingField,
} as const satisfies Record<string, Maker>;

/** Drops, swaps, doubles or replaces letters. */
function typoInKey(text: string, site: Site, random: Seeded): Mutation[] {
  const { member } = site;
  if (member?.fields === undefined) return [];
  const { fields, key } = member;
  const name = key.value;
  const at = random.int(name.length);
  const typos = {
    dropped: name.slice(0, at) + name.slice(at + 1),
    swapped:
      name.slice(0, at) +
      name
        .slice(at, at + 2)
        .split('')
        .reverse()
        .join('') +
      name.slice(at + 2),
    doubled: name.slice(0, at + 1) + name.slice(at),
    replaced: `${name.slice(0, at)}${name[at] === 'q' ? 'z' : 'q'}${name.slice(at + 1)}`,
  };
  return Object.entries(typos)
    .filter(([, typo]) => typo !== '' && !fields.includes(typo))
    .map(([how, typo]) => replaced(text, site, keySpan(text, key), typo, `letter ${how}`));
}

const WRONG: { readonly [type in NonNullable<StructuralSchema['type']>]: readonly string[] } = {
  string: ['42', 'true', '[]', '{ "name": "x" }'],
  integer: ['"seven"', '1.5', 'true', '[1]', '{ "value": 1 }'],
  number: ['"seven"', 'true', '[1]'],
  boolean: ['"true"', '1', '"yes"', '[true]'],
  object: ['"text"', '7', 'true', '["x"]'],
  array: ['"text"', '7', '{ "x": 1 }'],
};

function wrongType(text: string, site: Site): Mutation[] {
  const { type } = site.schema;
  if (type === undefined || isMergeSource(text, site.value)) return [];
  return WRONG[type].map(wrong => replaced(text, site, valueSpan(text, site.value), wrong, wrong));
}

/** Whether a merge key refers to this mapping, or to one inside it. Without it the rest of the text has no meaning. */
function isMergeSource(text: string, node: Node): boolean {
  if (!isCollection(node)) return false;
  const inside = [...text.slice(...(node.range ?? [0, 0])).matchAll(/&([\w-]+)/g)].map(([, anchor]) => anchor);
  return [...inside, node.anchor].some(anchor => anchor !== undefined && text.includes(`<<: *${anchor}`));
}

function outOfBounds(text: string, site: Site): Mutation[] {
  const { type, format, minimum, maximum, minLength, maxLength, minItems } = site.schema;
  const wrong: string[] = [];
  if (type === 'integer') {
    if (minimum !== undefined) wrong.push(`${minimum - 1}`, '-2147483649');
    if (maximum !== undefined) wrong.push(`${maximum + 1}`);
    if (format === 'int32') wrong.push('2147483648', '-2147483649');
  }
  if (type === 'string') {
    if ((minLength ?? 0) > 0) wrong.push('""');
    if (maxLength !== undefined && maxLength < 500) wrong.push(`"${'x'.repeat(maxLength + 1)}"`);
  }
  if (type === 'array' && (minItems ?? 0) > 0) wrong.push('[]');
  return wrong.map(value => replaced(text, site, valueSpan(text, site.value), value, value));
}

function notInEnum(text: string, site: Site): Mutation[] {
  const { schema, value } = site;
  if (schema.enum === undefined) return [];
  const written = String((value as { value?: unknown }).value ?? '');
  const wrong = ['no-such-value', `${written}x`, written.slice(0, -1), written.toUpperCase()];
  return wrong
    .filter(each => each !== '' && !schema.enum?.includes(each))
    .map(each => ({
      ...replaced(text, site, valueSpan(text, value), JSON.stringify(each), each),
      // An object of a group that is not accepted may belong to another controller.
      ...(site.path[0] === 'apiVersion' ? { mildly: true as const } : {}),
    }));
}

const ODD_TEXTS = ['not valid', '-', '', 'ftp://example.com', '2', 'a b*', '*'];

function brokenPattern(text: string, site: Site): Mutation[] {
  const { pattern } = site.schema;
  if (pattern === undefined) return [];
  return ODD_TEXTS.filter(odd => !new RegExp(pattern, 'u').test(odd)).map(odd =>
    replaced(text, site, valueSpan(text, site.value), JSON.stringify(odd), JSON.stringify(odd)),
  );
}

function danglingReference(text: string, site: Site): Mutation[] {
  const { member, value } = site;
  if (isBackendKey(site) && member !== undefined) {
    return [replaced(text, site, keySpan(text, member.key), `${member.key.value}x`, 'no such backend')];
  }
  const target = findTarget(site);
  const written = (value as { value?: unknown }).value;
  if (target === undefined || typeof written !== 'string') return [];
  return [`${written}x`, 'no-such-thing'].map(name => {
    const mutation = replaced(text, site, valueSpan(text, value), JSON.stringify(name), name);
    if (target === 'ours') return mutation;
    // An ignored field is marked at its key.
    const also = target === 'repeated' && member !== undefined ? [keySpan(text, member.key)] : [];
    return { ...mutation, at: [...mutation.at, ...also], mildly: true as const };
  });
}

/** Removes a member with its comma or line; a finding must mark the key or value of its parent. */
function missingField(text: string, site: Site): Mutation[] {
  const { member } = site;
  if (member === undefined || !member.required) return [];
  const { key, parent, parentKey, index } = member;
  const gone = memberSpan(text, member);
  const filler = parent.items.length > 1 || parent.flow === true ? '' : '{}';
  const whole = valueSpan(text, parent);
  const shrunk = { start: whole.start, end: whole.end - (gone.end - gone.start) + filler.length };
  // The first member may be the only text before the others.
  const start = index === 0 ? Math.min(whole.start, gone.start) : whole.start;
  return [
    {
      title: `${titleOf(site)}: missing`,
      text: text.slice(0, gone.start) + filler + text.slice(gone.end),
      at: [{ ...shrunk, start }, ...(parentKey === undefined ? [] : [keySpan(text, parentKey)])],
      names: key.value,
    },
  ];
}

function memberSpan(text: string, { parent, index }: Member): Span {
  const pairs = parent.items as Pair<Node, Node>[];
  const startOf = (pair: Pair<Node, Node>): number => pair.key.range?.[0] ?? 0;
  const endOf = (pair: Pair<Node, Node>): number => valueSpan(text, pair.value ?? pair.key).end;
  const own = pairs[index] as Pair<Node, Node>;
  const next = pairs[index + 1];
  if (next !== undefined) return { start: startOf(own), end: startOf(next) };
  const previous = pairs[index - 1];
  return { start: previous === undefined ? startOf(own) : endOf(previous), end: endOf(own) };
}

function replaced(text: string, site: Site, span: Span, by: string, what: string): Mutation {
  return {
    title: `${titleOf(site)}: ${what.length > 40 ? `${what.slice(0, 40)}…` : what}`,
    text: text.slice(0, span.start) + by + text.slice(span.end),
    at: [{ start: span.start, end: span.start + by.length }],
  };
}

/** The text inside the quotes, if there are any. */
function keySpan(text: string, key: Node): Span {
  const { start, end } = valueSpan(text, key);
  const quoted = text[start] === '"' || text[start] === "'";
  return quoted ? { start: start + 1, end: end - 1 } : { start, end };
}

/** Without the line breaks that the parser includes in block values. */
function valueSpan(text: string, node: Node): Span {
  const [start, end] = node.range ?? [0, 0];
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

function titleOf({ path }: Site): string {
  return path.join('.');
}
