import { expect, test } from 'vitest';
import { compile, type Diagnostic, readTexts } from '#compiler';
import { exampleSources, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { EXAMPLE_CATALOG } from '../../support/example-catalog.ts';

test('the objects around the examples of codes compile without findings', () => {
  expect(findingsOf('')).toEqual([]);
});

test.each(SPEC_EXAMPLES)(
  'the spec in the $is example of $code has the finding if the example is bad, and otherwise neither it nor an error',
  ({ code, is, text }) => {
    const found = findingsOf(text);
    if (is === 'bad') expect(found.map(one => one.code)).toContain(code);
    else expect(found.filter(one => one.severity === 'error' || one.code === code)).toEqual([]);
  },
);

function findingsOf(example: string): readonly Diagnostic[] {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const options = {
    purpose: 'language',
    origin,
    today: '2026-01-01',
    catalog: EXAMPLE_CATALOG,
    target: 'pods',
  } as const;
  return compile(readTexts(exampleSources(example)), options).findings.diagnostics;
}
