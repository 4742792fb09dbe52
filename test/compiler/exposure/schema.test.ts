import { expect, test } from 'vitest';
import { EXPOSURE_RENDERERS } from '../../../compiler/analysis/exposure/render/index.ts';
import { AROUND_EXAMPLES, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { EXAMPLE_CATALOG } from '../../support/example-catalog.ts';
import { closed, listSchemaErrors, schemaAt } from '../../support/json-schema.ts';
import { ANONYMOUS as ANONYMOUS_REGISTRY, AUTHENTICATED, compileExposure, EVERYTHING } from './registry/sample.ts';
import { ANONYMOUS, compiled, exposures, OFFERS, SPECS } from './sample.ts';

const EXPOSURE = schemaAt('compiler/analysis/exposure/exposure.schema.json');
const REPORT = {
  $defs: { exposure: { ...EXPOSURE, $id: 'https://example.com/exposure' } },
  $ref: 'https://example.com/exposure#/$defs/report',
};
const CLOSED = closed(EXPOSURE);
const CLOSED_REGISTRY = {
  $defs: { exposure: { ...CLOSED, $id: 'https://example.com/closed' } },
  $ref: 'https://example.com/closed#/$defs/registry',
};

test.each([
  ['gateways with policies', exposures(SPECS, OFFERS)],
  ['gateways with policies and for anonymous callers', exposures(`${SPECS}---\n${ANONYMOUS}`, OFFERS)],
  ['gateways without a tool lock', exposures(SPECS, undefined)],
])(
  'the report of `lintel exposure` about %s is valid by its schema and has no member without a description',
  (_, shown) => {
    expect(shown.length).toBeGreaterThan(0);
    for (const exposure of shown) expect(listSchemaErrors(CLOSED, JSON.stringify(exposure))).toEqual([]);
  },
);

test('the report of `lintel exposure` about every example of a code is valid by its schema and has no member without a description', () => {
  const shown = SPEC_EXAMPLES.flatMap(({ text }) =>
    compiled(`${AROUND_EXAMPLES}---\n${text}`, EXAMPLE_CATALOG).gateways.flatMap(({ exposure }) => exposure() ?? []),
  );
  expect(shown.length).toBeGreaterThan(50);
  expect(shown.flatMap(exposure => listSchemaErrors(CLOSED, JSON.stringify(exposure)))).toEqual([]);
});

test('lintel exposure --format json prints a valid report', () => {
  const registries = [EVERYTHING, ANONYMOUS_REGISTRY].map(compileExposure);
  const text = EXPOSURE_RENDERERS.json({ gateways: exposures(SPECS, OFFERS), registries }, { color: false });
  expect(listSchemaErrors(REPORT, text)).toEqual([]);
  expect(listSchemaErrors(REPORT, text.replace('"gateway"', '"registry"'))).toEqual(['/gateways/0/kind const']);
  expect(listSchemaErrors(REPORT, text.replace('"registry"', '"gateway"'))).toEqual(['/registries/0/kind const']);
});

test.each([
  ['all settings', EVERYTHING],
  ['authenticated callers', AUTHENTICATED],
  ['anonymous callers', ANONYMOUS_REGISTRY],
])(
  'the report of `lintel exposure` about a registry server with %s is valid by its schema and has no member without a description',
  (_, text) => {
    expect(listSchemaErrors(CLOSED_REGISTRY, JSON.stringify(compileExposure(text)))).toEqual([]);
  },
);

test.each([
  ['"formatVersion":1', '"formatVersion":2', '/formatVersion const'],
  ['"visibility":"hidden"', '"visibility":"secret"', '/tools/5/visibility enum'],
  ['"identity":"caller"', '"identity":"admin"', '/backends/0/credential/identity enum'],
])('the exposure schema refuses a document with %s changed to %s', (from, to, error) => {
  const text = exposures(SPECS, OFFERS)
    .map(exposure => JSON.stringify(exposure))
    .join('');
  expect(text).toContain(from);
  expect(listSchemaErrors(EXPOSURE, text.replace(from, to))).toContain(error);
});

test('the published exposure schema allows members that a later version adds', () => {
  const [exposure] = exposures(SPECS, OFFERS);
  expect(listSchemaErrors(EXPOSURE, JSON.stringify({ ...exposure, later: {} }))).toEqual([]);
});
