import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMATS, RENDERERS } from '../../../compiler/diagnostics/render/index.ts';
import { expectGolden } from '../../support/golden.ts';
import { createRendering, MIXED } from './rendering.ts';

test('lintel check prints the findings of this test as expected in every format', () => {
  const rendering = createRendering(MIXED);
  const texts = FORMATS.map(format => [`${format}.txt`, RENDERERS[format](rendering)] as const);
  expectGolden(join(import.meta.dirname, 'goldens', 'cases'), new Map(texts));
});

test.each(FORMATS)('the %s format does not depend on the order of the findings', format => {
  const text = RENDERERS[format](createRendering([...MIXED].reverse()));
  expect(text).toBe(RENDERERS[format](createRendering(MIXED)));
});

test.each([
  ['pretty', 'no findings in 1 file (4 objects checked, 1 foreign object left alone)\n'],
  ['compact', ''],
  ['github', ''],
  ['gitlab', '[]\n'],
  ['markdown', '**Lintel**: no findings in 1 file (4 objects checked, 1 foreign object left alone)\n'],
  [
    'junit',
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="lintel" tests="1" failures="0" errors="0">
  <testsuite name="specs/clean.yaml" tests="1" failures="0" errors="0">
    <testcase name="no findings" classname="specs/clean.yaml"/>
  </testsuite>
</testsuites>
`,
  ],
] as const)('the %s format prints the expected text for no findings', (format, expected) => {
  expect(RENDERERS[format](createRendering([]))).toBe(expected);
});

test('the sarif and markdown formats link to the page of a code if the documentation has a site', () => {
  const findPage = (code: string) => `https://docs.example.com/codes/${code}.html`;
  const [{ code } = expect.fail()] = MIXED;
  const sarif = JSON.parse(RENDERERS.sarif(createRendering(MIXED, { findPage })));
  const { rules } = sarif.runs[0].tool.driver;
  expect(rules.length).toBeGreaterThan(2);
  for (const { id, helpUri } of rules) expect(helpUri).toBe(findPage(id));
  expect(RENDERERS.markdown(createRendering(MIXED, { findPage }))).toContain(`| [${code}](${findPage(code)}) `);
});
