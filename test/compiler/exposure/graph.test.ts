/** The graphs on the page of `lintel exposure`: labels are wrapped, and cut off only if a box would have too many lines; boxes fit a narrow window. */
import { expect, test } from 'vitest';
import type { AccessGraph, Column } from '../../../compiler/analysis/exposure/render/graph/access-graph.ts';
import { renderStackedSvg } from '../../../compiler/analysis/exposure/render/graph/stacked-svg.ts';
import { renderGraphSvg } from '../../../compiler/analysis/exposure/render/graph/svg.ts';

const nodeOf = (column: Column, name: string, label = name) => ({
  ...{ id: `${column} ${name}`, column, label },
  ...{ detail: label, isMarked: false },
});

function linesOf(label: string): readonly string[] {
  const svg = renderGraphSvg({ nodes: [nodeOf('who', 'a', label)], edges: [] }, 'Graph');
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
])('the exposure graph breaks a label into lines of at most 25 characters: %s', (label, lines) => {
  expect(linesOf(label)).toEqual(lines);
  for (const line of linesOf(label)) expect([...line].length).toBeLessThanOrEqual(25);
});

const edgeOf = (from: string, to: string) => ({ from, to, isMarked: false, isThrough: false });

const names = (count: number) => Array.from({ length: count }, (_, at) => `${at} ${'long '.repeat(at)}`.trim());

/** A graph in which every caller may call every tool. */
const MANY: AccessGraph = {
  nodes: [
    ...names(5).map(name => nodeOf('who', name)),
    nodeOf('workflow', 'one'),
    ...names(9).map(name => nodeOf('tool', name)),
    ...names(2).map(name => nodeOf('backend', name)),
  ],
  edges: names(5).flatMap(who => [
    edgeOf(`who ${who}`, 'workflow one'),
    ...names(9).map(tool => edgeOf(`who ${who}`, `tool ${tool}`)),
  ]),
};

const numbersOf = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(found => found.slice(1).map(Number));

test('the exposure graph for a narrow window has every box and line of the wide graph, and no box covers another', () => {
  const [stacked, wide] = [renderStackedSvg(MANY, 'Graph'), renderGraphSvg(MANY, 'Graph')];
  for (const part of [/data-node="[^"]*"/g, /data-from="[^"]*" data-to="[^"]*"/g])
    expect(stacked.match(part)?.sort()).toEqual(wide.match(part)?.sort());
  const [[width = 0, height = 0] = []] = numbersOf(stacked, /viewBox="0 0 (\d+) (\d+)"/g);
  expect(width).toBeLessThanOrEqual(326);
  const boxes = numbersOf(stacked, /<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"/g);
  for (const [at, [x = 0, y = 0, w = 0, h = 0]] of boxes.entries()) {
    expect([x >= 0, x + w <= width, y >= 0, y + h <= height]).toEqual([true, true, true, true]);
    const overlapping = boxes
      .slice(at + 1)
      .filter(([x2 = 0, y2 = 0, w2 = 0, h2 = 0]) => x < x2 + w2 && x2 < x + w && y < y2 + h2 && y2 < y + h);
    expect(overlapping).toEqual([]);
  }
});

test('a line of the exposure graph to a distant row crosses none of the boxes between', () => {
  const svg = renderStackedSvg(MANY, 'Graph');
  const lanes = numbersOf(svg, / (\S+) \S+V/g).map(([x = 0]) => x);
  expect(lanes.length).toBeGreaterThan(40);
  const boxes = numbersOf(svg, /<rect x="(\S+)" y="\S+" width="(\S+)"/g);
  for (const lane of new Set(lanes))
    expect(boxes.filter(([x = 0, width = 0]) => x <= lane && lane <= x + width)).toEqual([]);
});
