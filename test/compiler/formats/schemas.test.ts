import { expect, test } from 'vitest';
import { compile, type Diagnostic, readTexts } from '#compiler';
import { RENDERERS } from '../../../compiler/diagnostics/render/index.ts';
import { exampleSources, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { closed, listSchemaErrors, schemaAt } from '../../support/json-schema.ts';
import { createRendering, finding, MIXED, times } from './rendering.ts';

const REPORT = schemaAt('compiler/diagnostics/render/report.schema.json');
const SCHEMAS = {
  // The published schema allows members of later versions; here each member must be in it.
  json: closed(REPORT),
  // The official SARIF schema is not in this repository; this one strictly covers what Lintel writes.
  sarif: schemaAt('test/compiler/formats/sarif-subset.schema.json'),
};

const INPUTS: readonly (readonly [name: string, diagnostics: readonly Diagnostic[]])[] = [
  ['no findings', []],
  ['one of everything', MIXED],
  ['an absolute file', [finding('LNT1003', 'm', { file: '/tmp/a b/ä:%.yaml' })]],
  ['standard input, and text that is not well-formed', [finding('LNT1003', '\ud800\0', { file: '<stdin>' })]],
  ['more than is shown', times(20_003, at => finding('LNT1003', `m${at}`))],
  ...SPEC_EXAMPLES.map(({ text }, at) => [`example ${at}`, findingsOf(text)] as const),
];

test.each(
  (['json', 'sarif'] as const).flatMap(format => INPUTS.map(([name, found]) => [format, name, found] as const)),
)('the %s format of %s is valid by its schema', (format, _, diagnostics) => {
  expect(listSchemaErrors(SCHEMAS[format], RENDERERS[format](createRendering(diagnostics)))).toEqual([]);
});

/** Rows of: format, text to replace, its replacement, and where the schema reports an error. */
test.each([
  ['json', '"valid": false,', '', ' required'],
  ['json', '"1.2"', '"2.0"', '/formatVersion pattern'],
  ['json', '"LNT2006"', '"X"', '/diagnostics/0/code pattern'],
  ['sarif', '"2.1.0"', '"2.0.0"', '/version const'],
  ['sarif', '"columnKind"', '"columnkind"', '/runs/0 additionalProperties'],
  [
    'sarif',
    '"startLine": 3',
    '"startLine": 0',
    '/runs/0/results/0/locations/0/physicalLocation/region/startLine minimum',
  ],
] as const)('the schema of the %s format refuses a document with %s changed to %s', (format, from, to, error) => {
  const text = RENDERERS[format](createRendering(MIXED));
  expect(text).toContain(from);
  expect(listSchemaErrors(SCHEMAS[format], text.replace(from, to))).toContain(error);
});

test('the published schema of the json format allows members that a later version adds', () => {
  const document = { ...JSON.parse(RENDERERS.json(createRendering(MIXED))), formatVersion: '1.9', later: {} };
  expect(listSchemaErrors(REPORT, JSON.stringify(document))).toEqual([]);
});

test('the sarif format lists the rules of its results, and no other rules', () => {
  const { runs } = JSON.parse(RENDERERS.sarif(createRendering(MIXED)));
  const [{ tool, results }] = runs;
  const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
  expect(results.map(({ ruleIndex }: { ruleIndex: number }) => ids[ruleIndex])).toEqual(
    results.map(({ ruleId }: { ruleId: string }) => ruleId),
  );
  expect([...new Set(results.map(({ ruleId }: { ruleId: string }) => ruleId))].sort()).toEqual(ids);
});

function findingsOf(text: string): readonly Diagnostic[] {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  return compile(readTexts(exampleSources(text)), { purpose: 'check', origin }).findings.diagnostics;
}
