/** For any duration in a spec, either the compiler reports an error or the runtime accepts the bundle. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { findRegistryProblem } from '../../../runtime/bundle/registry-shape.ts';
import { findGatewayProblem } from '../../../runtime/bundle/shape.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';

const DURATION = /\b(\w+): (?:[0-9]+(?:ms|s|m|h))+(?=[\s,}])/g;
/** The field for processor time is left out: its quantities only look like durations. */
const CPU = 'cpu';
/** Matches the block `codeMode`, which is left out: no runtime supports it yet, so no bundle would be built. */
const CODE_MODE = /^ {4}codeMode:\n(?: {6}.*\n)+/m;

interface Outcome {
  /** Where errors are. */
  readonly errors: readonly string[];
  /** For each bundle, the runtime's error: undefined where it accepts the bundle. */
  readonly bundles: readonly (string | undefined)[];
}

function outcomeOf(file: string, text: string): Outcome {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const sources = readTexts([new SourceText(file, text)]);
  const { gateways, registries, findings } = compile(sources, { purpose: 'language', origin });
  const errors = findings.diagnostics.filter(({ severity }) => severity === 'error');
  const asRead = ({ bundle }: { readonly bundle: unknown }) =>
    bundle === null ? [] : [JSON.parse(JSON.stringify(bundle)) as unknown];
  return {
    errors: errors.map(({ pointer }) => pointer ?? ''),
    bundles: [
      ...gateways.flatMap(asRead).map(findGatewayProblem),
      ...registries.flatMap(asRead).map(findRegistryProblem),
    ],
  };
}

const ROWS = BASE_SPECS.filter(({ title, file }) => title === file).flatMap(spec => {
  const text = spec.text.replace(CODE_MODE, '');
  return [...text.matchAll(DURATION)]
    .filter(([, field]) => field !== CPU)
    .filter((found, at, all) => found[1] === 'timeout' || all.findIndex(other => other[1] === found[1]) === at)
    .map(found => ({ file: spec.file, text, field: found[1] ?? '', written: found[0], at: found.index }));
});

test.each(ROWS)(
  'the compiler reports an extreme duration in place of $written in $file, or the runtime accepts the bundle',
  ({ file, text, field, written, at }) => {
    const outcomes = ['0s', '-1s', '250us', '1000h'].map(time => {
      const changed = `${text.slice(0, at)}${field}: ${time}${text.slice(at + written.length)}`;
      return { time, ...outcomeOf(file, changed) };
    });
    const isSaid = ({ errors }: Outcome) => errors.length > 0;
    const isTaken = ({ bundles }: Outcome) => bundles.length > 0 && bundles.every(problem => problem === undefined);
    expect(outcomes.filter(one => !isSaid(one) && !isTaken(one))).toEqual([]);
  },
);

test('the specs of this test set all times that a runtime needs to be above zero', () => {
  const fields = new Set(ROWS.map(({ field }) => field));
  const needed = [
    'timeout',
    'retryDelay',
    'default',
    'healthCheckInterval',
    'healthCheckTimeout',
    'statusReportingInterval',
    'refillPeriod',
    'embeddingServiceTimeout',
    'interval',
    'accessTokenLifespan',
    'refreshTokenLifespan',
    'authCodeLifespan',
    'cacheFallbackTtl',
    'maxAssertionAge',
    'dialTimeout',
    'readTimeout',
    'writeTimeout',
  ];
  expect(needed.filter(field => !fields.has(field))).toEqual([]);
});
