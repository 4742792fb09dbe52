/** Labels of the graph are wrapped, and truncated only where a node would have more than four lines. */
import { expect, test } from 'vitest';
import { renderGraphSvg } from '../../../compiler/analysis/exposure/render/graph/svg.ts';

function linesOf(label: string): readonly string[] {
  const node = { id: 'who a', column: 'who', label, detail: label, isMarked: false } as const;
  const svg = renderGraphSvg({ nodes: [node], edges: [] }, 'Graph');
  return [...svg.matchAll(/<tspan[^>]*>([^<]*)<\/tspan>/g)].map(([, line = '']) => line.replaceAll('&quot;', '"'));
}

test.each<[label: string, lines: readonly string[]]>([
  ['everyone', ['everyone']],
  [
    'principal in Group::"staff", unless principal in Group::"interns"',
    ['principal in', 'Group::"staff", unless', 'principal in', 'Group::"interns"'],
  ],
  ['a'.repeat(60), ['a'.repeat(25), 'a'.repeat(25), 'a'.repeat(10)]],
  [
    Array(12).fill('principal').join(' '),
    ['principal principal', 'principal principal', 'principal principal', 'principal principal …'],
  ],
])('%s', (label, lines) => {
  expect(linesOf(label)).toEqual(lines);
  for (const line of linesOf(label)) expect([...line].length).toBeLessThanOrEqual(25);
});
