/** Two thousand broken configurations: no crash, and no bundle that silently says something else. */

import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { compileConfig } from './compiling.ts';

const EXAMPLE: unknown = parse(readFileSync('examples/registry/registry.yaml', 'utf8'));

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [...(path.length === 0 ? [] : [path]), ...members.flatMap(([key, member]) => pathsOf(member, [...path, key]))];
}

function withValue(value: unknown, [step, ...rest]: Path, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withValue(item, rest, put) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === step ? withValue(member, rest, put) : member]),
  );
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e21,
    '',
    ' ',
    '/',
    '..',
    '\u0000',
    'constructor',
    '__proto__',
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    'https://',
    'http://[',
    'https://%',
    'https://a b',
    '/%2e%2e',
    '/\ud800',
    '[a-',
    '1h',
    '99999999h',
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'grapheme' }),
);

test('a value anywhere replaced by another one', { timeout: 120_000 }, () => {
  const paths = pathsOf(EXAMPLE);
  fc.assert(
    fc.property(fc.constantFrom(...paths), odd, (path, put) => {
      const { registries, findings } = compileConfig(stringify(withValue(EXAMPLE, path, put)));
      const errors = findings.counts.error;
      if (registries.length === 0) return;
      expect(registries).toHaveLength(1);
      // A hint about what is not supported yet stands for no bundle as well.
      if (registries[0]?.bundle === null) expect(errors + findings.counts.hint).toBeGreaterThan(0);
      else expect(errors).toBe(0);
      for (const { message } of findings.diagnostics) expect(message).not.toBe('');
    }),
    { seed: 20261120, numRuns: 2000 },
  );
});
