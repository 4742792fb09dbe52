/**
 * The members of listed items that the protocol gives a type, over all of its revisions. Clients check a list as a whole, so that one
 * wrong member of one item costs them everything that all backends offer. What the protocol does not name passes.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema
 */
import type { ItemList } from './offered-items.ts';

/** What is wrong, with the place before it; undefined when nothing is. */
type Shape = (value: unknown, at: string) => string | undefined;

const must =
  (isFit: (value: unknown) => boolean, be: string): Shape =>
  (value, at) =>
    isFit(value) ? undefined : `${at} must be ${be}`;

const text = must(value => typeof value === 'string', 'a string');
const flag = must(value => typeof value === 'boolean', 'true or false');
const number = must(value => typeof value === 'number', 'a number');
const share = must(value => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1');
const anyObject = must(isObject, 'an object');
const time = must(isTime, 'a time such as "2026-01-31T12:00:00Z"');

const oneOf = (...words: readonly string[]): Shape =>
  must(value => words.includes(value as string), words.map(word => `"${word}"`).join(' or '));

const listOf =
  (shape: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return `${at} must be a list`;
    for (const [index, entry] of value.entries()) {
      const flaw = shape(entry, `${at}[${index}]`);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  };

const object =
  (members: Readonly<Record<string, Shape>>, ...required: readonly string[]): Shape =>
  (value, at) => {
    if (!isObject(value)) return `${at} must be an object`;
    return memberFlaw(value, members, `${at}.`) ?? required.map(name => lack(value, name, at)).find(isText);
  };

/** ISO 8601 with an offset. */
const TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const SHARED: Readonly<Record<string, Shape>> = {
  name: text,
  title: text,
  description: text,
  icons: listOf(object({ src: text, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }, 'src')),
  _meta: anyObject,
};

const CONTENT: Readonly<Record<string, Shape>> = {
  ...SHARED,
  mimeType: text,
  annotations: object({ audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: time }),
};

const MEMBERS: Readonly<Record<ItemList, Readonly<Record<string, Shape>>>> = {
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

/** What of an item clients could not read, with its place, as the end of a sentence; undefined when nothing. Schemas of tools aside. */
export function itemFlaw(item: Readonly<Record<string, unknown>>, list: ItemList): string | undefined {
  const flaw = memberFlaw(item, MEMBERS[list], '') ?? (Object.hasOwn(item, 'name') ? undefined : 'it has no name');
  return flaw === undefined ? undefined : `cannot be read by clients: ${flaw}`;
}

function memberFlaw(
  value: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Shape>>,
  before: string,
): string | undefined {
  for (const name of Object.keys(value)) {
    const flaw = Object.hasOwn(members, name) ? members[name]?.(value[name], `${before}${name}`) : undefined;
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function lack(value: Readonly<Record<string, unknown>>, name: string, at: string): string | undefined {
  return Object.hasOwn(value, name) ? undefined : `${at} must have a ${name}`;
}

function isTime(value: unknown): boolean {
  const date = typeof value === 'string' ? TIME.exec(value)?.[1] : undefined;
  if (date === undefined) return false;
  // Others roll over: the 31st of February is a day in March.
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
