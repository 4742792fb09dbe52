/**
 * Checks the members of listed items whose type the protocol defines, in any of its revisions. Clients validate a list as a whole, so one wrong
 * member of one item would cost them the whole list. Members that the protocol does not define pass.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema
 */
import { isObject } from '#schemas';
import type { ItemList } from './offered-items.ts';

interface Shape {
  /** The violation, after the path of the member; undefined when there is none. */
  violation(value: unknown, at: string): string | undefined;
  /** The value without optional members that are null: some servers write null for a missing member, and clients refuse it. */
  readable?(value: unknown): unknown;
}

type MemberShapes = Readonly<Record<string, Shape>>;

const must = (isFit: (value: unknown) => boolean, be: string): Shape => ({
  violation: (value, at) => (isFit(value) ? undefined : `${at} must be ${be}`),
});

const text = must(value => typeof value === 'string', 'a string');
const flag = must(value => typeof value === 'boolean', 'true or false');
const number = must(value => typeof value === 'number', 'a number');
const share = must(value => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1');
const anyObject = must(isObject, 'an object');
const time = must(isTime, 'a time such as "2026-01-31T12:00:00Z"');

const oneOf = (...words: readonly string[]): Shape =>
  must(value => words.includes(value as string), words.map(word => `"${word}"`).join(' or '));

const listOf = ({ violation, readable }: Shape): Shape => ({
  violation(value, at) {
    if (!Array.isArray(value)) return `${at} must be a list`;
    return findFirst(value.entries(), ([index, entry]) => violation(entry, `${at}[${index}]`));
  },
  readable: value => (Array.isArray(value) && readable !== undefined ? value.map(readable) : value),
});

const object = (members: MemberShapes, ...required: readonly string[]): Shape => ({
  violation(value, at) {
    if (!isObject(value)) return `${at} must be an object`;
    const missing = required.find(name => !Object.hasOwn(value, name));
    return findMemberViolation(value, members, required, `${at}.`) ?? (missing && `${at} must have a ${missing}`);
  },
  readable: value => (isObject(value) ? withoutNulls(value, members, required) : value),
});

/** A time in the format of ISO 8601 with an offset. */
const TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const SHARED: MemberShapes = {
  name: text,
  title: text,
  description: text,
  icons: listOf(object({ src: text, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }, 'src')),
  _meta: anyObject,
};

const CONTENT: MemberShapes = {
  ...SHARED,
  mimeType: text,
  annotations: object({ audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: time }),
};

const MEMBERS: Readonly<Record<ItemList, MemberShapes>> = {
  tools: {
    ...SHARED,
    annotations: object({
      title: text,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    }),
    execution: object({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
  },
  prompts: { ...SHARED, arguments: listOf(object({ name: text, description: text, required: flag }, 'name')) },
  resources: { ...CONTENT, size: number },
  resourceTemplates: CONTENT,
};

const REQUIRED: readonly string[] = ['name'];

type ItemObject = Readonly<Record<string, unknown>>;

/**
 * The part of an item that clients could not read, with its path, as the end of a sentence; undefined when there is none. Members that {@link
 * toReadableItem} removes are not violations, and schemas of tools are checked elsewhere.
 */
export function validateItem(item: ItemObject, list: ItemList): string | undefined {
  const violation =
    findMemberViolation(item, MEMBERS[list], REQUIRED, '') ??
    (Object.hasOwn(item, 'name') ? undefined : 'it has no name');
  return violation === undefined ? undefined : `cannot be read by clients: ${violation}`;
}

/** The item without optional members of the protocol that are null. */
export function toReadableItem(item: ItemObject, list: ItemList): ItemObject {
  return withoutNulls(item, MEMBERS[list], REQUIRED);
}

function findMemberViolation(
  value: ItemObject,
  members: MemberShapes,
  required: readonly string[],
  before: string,
): string | undefined {
  return findFirst(Object.entries(value), ([name, member]) => {
    if (!Object.hasOwn(members, name) || (member === null && !required.includes(name))) return undefined;
    return members[name]?.violation(member, `${before}${name}`);
  });
}

function withoutNulls(value: ItemObject, members: MemberShapes, required: readonly string[]): ItemObject {
  const validMembers = Object.entries(value).flatMap(([name, member]) => {
    const shape = Object.hasOwn(members, name) ? members[name] : undefined;
    if (shape === undefined) return [[name, member]];
    if (member === null && !required.includes(name)) return [];
    return [[name, shape.readable === undefined ? member : shape.readable(member)]];
  });
  return Object.fromEntries(validMembers);
}

function findFirst<T>(entries: Iterable<T>, violation: (entry: T) => string | undefined): string | undefined {
  for (const entry of entries) {
    const found = violation(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isTime(value: unknown): boolean {
  const date = typeof value === 'string' ? TIME.exec(value)?.[1] : undefined;
  if (date === undefined) return false;
  // `Date` rolls impossible days over: the 31st of February becomes a day in March.
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
