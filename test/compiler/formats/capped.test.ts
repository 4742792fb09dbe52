/** Formats that people read show the first 20 findings of a code and count the rest; formats that programs read contain all findings. */
import { describe, expect, test } from 'vitest';
import { RENDERERS } from '../../../compiler/diagnostics/render/index.ts';
import { createRange, createRendering, finding, times } from './rendering.ts';

const FOUND = [
  ...times(25, at => finding('LNT1003', `unknown ${at + 1}.`, { range: createRange(at + 1, 1) })),
  ...times(21, at => finding('LNT1008', `ignored ${at + 1}.`, { range: createRange(at + 1, 1) })),
  ...times(20, at => finding('LNT1004', `wrong ${at + 1}.`, { range: createRange(at + 1, 1) })),
];

const REST = [
  '… and 5 more of LNT1003 unknown-field; `lintel check --all` shows them',
  '… and 1 more of LNT1008 field-ignored; `lintel check --all` shows them',
];

const counted = (text: string) =>
  ['unknown', 'ignored', 'wrong'].map(word => new Set(text.match(new RegExp(`${word} \\d+\\.`, 'g'))).size);

describe.each(['pretty', 'compact', 'markdown'] as const)('%s', format => {
  test(`the ${format} format shows 20 findings of each code, and counts the others on a line`, () => {
    const text = RENDERERS[format](createRendering(FOUND));
    expect(counted(text)).toEqual([20, 20, 20]);
    // Markdown escapes characters that would format it.
    for (const line of REST) expect(text.replaceAll('\\', '')).toContain(line);
    expect(text.match(/… and \d+ more of/g)).toHaveLength(REST.length);
  });

  test(`the ${format} format shows all findings with --all`, () => {
    const text = RENDERERS[format](createRendering(FOUND, { all: true }));
    expect(counted(text)).toEqual([25, 21, 20]);
    expect(text).not.toContain('more of');
  });
});

test.each(['json', 'sarif', 'junit', 'gitlab'] as const)('the %s format shows all findings', format => {
  const text = RENDERERS[format](createRendering(FOUND));
  expect(counted(text)).toEqual([25, 21, 20]);
  expect(text).not.toContain('more of');
});

test('the summary line of lintel check counts the findings that the report does not show', () => {
  const text = RENDERERS.pretty(createRendering(FOUND));
  expect(text).toMatch(/45 errors, 21 warnings in/);
});
