/** Files that import each other are in one folder, even if they only import types. `npm run boundaries` refuses all other cycles. */
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import rooms from '../../build/rooms.json' with { type: 'json' };
import { ROOT } from '../support/process.ts';
import { type Edge, listImports } from './imports.ts';

test('files in different folders do not import each other, even through other files or only for types', () => {
  const files = globSync(`{${Object.keys(rooms).join(',')}}/**/*.ts`, {
    cwd: ROOT,
    exclude: path => path.includes('node_modules'),
  });
  const edges = files.flatMap(listImports);
  expect(edges.length).toBeGreaterThan(3_000);
  const crossing = listCycles(edges).filter(({ from, to }) => posix.dirname(from) !== posix.dirname(to));
  expect(crossing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

/** The imports that are part of a cycle. */
function listCycles(edges: readonly Edge[]): readonly Edge[] {
  const left = dropEnds(edges);
  return left.filter(({ from, to }) => reaches(left, to, from));
}

/** Drops files that import nothing, or that no other file imports, until each file that is left does both. This only makes the search short. */
function dropEnds(edges: readonly Edge[]): readonly Edge[] {
  const importing = new Set(edges.map(({ from }) => from));
  const imported = new Set(edges.map(({ to }) => to));
  const left = edges.filter(({ from, to }) => imported.has(from) && importing.has(to));
  return left.length === edges.length ? left : dropEnds(left);
}

function reaches(edges: readonly Edge[], start: string, goal: string): boolean {
  const reached = new Set([start]);
  for (const file of reached) {
    for (const { from, to } of edges) if (from === file) reached.add(to);
  }
  return reached.has(goal);
}
