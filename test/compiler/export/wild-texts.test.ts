// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what programs have to escape
/** `lintel export` writes any text in an object unchanged, and no text becomes code of the program. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runs } from '../../support/runs.ts';
import { typeErrors } from '../../support/type-check.ts';
import { compiled, sourcesOfText } from './round-trip.ts';
import { formatRow, type Row } from './row.ts';
import { rows } from './rows.ts';
import { synthesized } from './synthesized.ts';

const PIECES = [
  '{{',
  '}}',
  '{',
  '}',
  '{{.params.repo}}',
  '{{ .params.x }}',
  '{{json .steps.search.output}}',
  '{{"',
  '{{- ',
  ' -}}',
  '{{/* c */}}',
  '${',
  '$',
  '`',
  '\\',
  "'",
  '"',
  '//',
  '/*',
  '*/',
  '\n',
  '\r',
  '\t',
  '\u2028',
  '\u202e',
  '\u0007',
  '\ufeff',
  'é',
  '漢',
  '😀',
  'https://',
  'a',
  '0o17',
  'null',
  'yes',
  '1e3',
  ' ',
  '#',
  ': ',
  '- ',
  '__proto__',
  '</script>',
  '~',
]; // prettier-ignore

const wildText = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map(pieces => pieces.join(''));

type Value = null | string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** Replaces some texts of a value with wild ones. */
function wildened(value: Value, next: () => string | undefined): Value {
  if (typeof value === 'string') return next() ?? value;
  if (Array.isArray(value)) return value.map(item => wildened(item, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wildened(member, next)]));
}

function wildRow({ kind, spec }: Row, next: () => string | undefined): string {
  const { configYAML, ...plain } = spec as { configYAML?: string };
  const config = configYAML === undefined ? undefined : stringify(wildened(parse(configYAML), next));
  const wild = wildened(plain as Value, next) as object;
  return formatRow({ kind, spec: { ...wild, ...(config !== undefined && { configYAML: config }) } });
}

/** Replaces about one text in eight. */
const replacements = fc.infiniteStream(
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wildText }),
);

describe('texts with special characters', () => {
  test.each(rows.map(row => ({ row, title: 'lintel export keeps special characters in texts of $title' })))(
    '$title',
    ({ row }) => {
      fc.assert(
        fc.property(replacements, stream => {
          const { before, after } = synthesized(wildRow(row, () => stream.next().value));
          expect(after).toEqual(before);
        }),
        { seed: 1980, numRuns: 25 },
      );
    },
  );

  test('lintel export keeps special characters in texts of a registry configuration file', () => {
    const configs = rows.flatMap(({ spec }) => ('configYAML' in spec ? [parse(`${spec.configYAML}`)] : []));
    fc.assert(
      fc.property(fc.constantFrom(...configs), replacements, (config, stream) => {
        const wild = { ...(wildened(config, () => stream.next().value) as object), registryName: 'it' };
        const { before, after } = synthesized(stringify(wild));
        expect(after).toEqual(before);
      }),
      { seed: 1980, numRuns: runs(100) },
    );
  });

  test('programs exported from specs with special characters have no type errors', () => {
    const programs: Record<string, string> = {};
    fc.assert(
      fc.property(fc.constantFrom(...rows), replacements, (row, stream) => {
        const text = wildRow(row, () => stream.next().value);
        if (compiled(sourcesOfText(text)).findings.counts.error > 0) return;
        programs[`${Object.keys(programs).length}.ts`] = synthesized(text).program;
      }),
      { seed: 1980, numRuns: runs(150) },
    );
    expect(Object.keys(programs).length).toBeGreaterThan(runs(60));
    expect(typeErrors(programs)).toEqual([]);
  });
});
