/** Ways to break or change a configuration: in its data, and in its text. */
import * as fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';

type Path = readonly (string | number)[];

/** Turns a configuration into another one. */
export type Mutation = (config: unknown) => unknown;

const ODD_TEXTS = [
  '',
  ' ',
  '/',
  '//',
  '..',
  '*',
  '\u0000',
  '/\ud800',
  '\u202e',
  'constructor',
  '__proto__',
  'https://',
  'http://[',
  'https://%',
  'https://a b',
  'http://login.example.com',
  'https://u:p@example.com',
  'https://169.254.169.254',
  'https://[::1]:8081/#x',
  '/%2e%2e',
  '/registry',
  '/registry/..%2Fv1',
  '/v1',
  '/registry/Main/',
  '/registry/open/v0.1/servers/{serverName}',
  '[a-',
  '1h',
  '-1h',
  '99999999h',
  'oauth',
  'anonymous',
  'latest',
  'local',
  'open',
];

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], [null], [{}], { '': '' }),
  fc.constantFrom<unknown>(...ODD_TEXTS),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);

/** A place in the current configuration, as a fraction of all its places. */
const place = fc.nat(9999);

const replaced = fc.tuple(place, odd).map(
  ([at, put]): Mutation =>
    config => {
      const path = pathAt(config, at);
      return edited(config, path, () => put);
    },
);

const removed = place.map(
  (at): Mutation =>
    config => {
      const path = pathAt(config, at);
      const last = path.at(-1);
      if (last === undefined) return config;
      return edited(config, path.slice(0, -1), parent =>
        Array.isArray(parent) ? parent.toSpliced(Number(last), 1) : withoutKey(parent, String(last)),
      );
    },
);

/** Duplicates an item, or swaps two. */
const repeated = fc.tuple(place, fc.boolean()).map(
  ([at, swaps]): Mutation =>
    config =>
      edited(config, pathAt(config, at, Array.isArray), list =>
        !Array.isArray(list) ? list : swaps ? list.toReversed() : [...list, ...list.slice(0, 1)],
      ),
);

const RENAMED: readonly ((key: string) => string)[] = [
  key => key.toLowerCase(),
  key => key.toUpperCase(),
  key => `${key}s`,
  key => key.slice(1),
  key => `${key.slice(0, -2)}${key.slice(-1)}${key.slice(-2, -1)}`,
  () => '__proto__',
  () => 'publicPaths',
  () => 'claims',
  () => '',
];

const renamed = fc.tuple(place, fc.constantFrom(...RENAMED)).map(
  ([at, rename]): Mutation =>
    config => {
      const path = pathAt(config, at, (_, key) => typeof key === 'string');
      const last = path.at(-1);
      if (typeof last !== 'string') return config;
      return edited(config, path.slice(0, -1), parent =>
        Object.fromEntries(
          Object.entries(parent as object).map(([key, value]) => [key === last ? rename(key) : key, value]),
        ),
      );
    },
);

/** Moves a part to the place of another one: sections into sections, items into other lists. */
const moved = fc.tuple(place, place).map(
  ([from, to]): Mutation =>
    config => {
      const part = valueAt(config, pathAt(config, from));
      return edited(config, pathAt(config, to), there =>
        isMapping(there) && isMapping(part) ? { ...there, ...part } : part,
      );
    },
);

/** One to three mutations in sequence. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: replaced }, removed, repeated, renamed, moved),
  { minLength: 1, maxLength: 3 },
);

/** Damage to the text: a line removed, duplicated or indented differently, a part cut out, a character added. */
export const damage: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.constantFrom('drop', 'double', 'indent', 'outdent', 'cut', 'insert'),
    place,
    fc.constantFrom('\t', ':', '- ', '&a ', '*a', '!!x ', '{', ']', '"', '#', '\u0000', '---\n', '<<: '),
  )
  .map(([how, at, sign]) => text => {
    const lines = text.split('\n');
    const line = at % lines.length;
    const change = (...put: readonly string[]) => lines.toSpliced(line, 1, ...put).join('\n');
    const own = lines[line] ?? '';
    switch (how) {
      case 'drop':
        return change();
      case 'double':
        return change(own, own);
      case 'indent':
        return change(` ${own}`);
      case 'outdent':
        return change(own.replace(/^ /, ''));
      case 'cut':
        return text.slice(0, at % text.length);
      default: {
        const position = at % text.length;
        return `${text.slice(0, position)}${sign}${text.slice(position)}`;
      }
    }
  });

function pathAt(config: unknown, at: number, fits: (value: unknown, key: unknown) => boolean = () => true): Path {
  const all = pathsOf(config, []).filter(path => fits(valueAt(config, path), path.at(-1)));
  return all[at % Math.max(all.length, 1)] ?? [];
}

function pathsOf(value: unknown, path: Path): Path[] {
  return [path, ...entriesOf(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))];
}

function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return isMapping(value) ? Object.entries(value) : [];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => entriesOf(part).find(([key]) => key === step)?.[1], value);
}

function edited(value: unknown, [step, ...rest]: Path, edit: (value: unknown) => unknown): unknown {
  if (step === undefined) return edit(value);
  const next = (member: unknown, key: string | number) => (key === step ? edited(member, rest, edit) : member);
  if (Array.isArray(value)) return value.map(next);
  // fromEntries defines an own member, which an assignment to `__proto__` would not.
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, next(member, key)]));
}

function withoutKey(value: unknown, gone: string): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => key !== gone));
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
