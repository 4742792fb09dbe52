/** Folders with a public `index.ts`: the rest of their room, too, imports nothing else of them. */
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';
import { importsOf } from './imports.ts';

/** Each with what may import more of it, and why. */
const FACES: { readonly [folder: string]: readonly string[] } = {
  // The public face of the room, whose own users load no more than what they import.
  'compiler/analysis/access': ['compiler/index.ts'],
  'compiler/analysis/catalog': ['compiler/index.ts'],
  // The language server colors the tokens of templates that are not well-formed, too.
  'compiler/analysis/templates': ['compiler/language-server/semantic-tokens.ts'],
  'compiler/audit-log': [],
  'compiler/client': [],
  'compiler/connect': [],
  'compiler/doctor': [],
  'compiler/emit/manifests': ['compiler/index.ts'],
  'compiler/export': [],
  'compiler/fix': [],
  'compiler/import': [],
  'compiler/incremental': ['compiler/index.ts'],
  'compiler/lint': ['compiler/index.ts'],
  'compiler/project': ['compiler/index.ts'],
  'compiler/top': [],
  'controller/apply': [],
  'controller/cluster-inputs': [],
  'controller/compile': [],
  'controller/definitions': [],
  // They are loaded before it is known whether this Node is one that the libraries of the index run on.
  'controller/observe': ['controller/main.ts', 'controller/options.ts'],
  'controller/pods': [],
  'controller/reconcile': [],
  'controller/source': [],
  'controller/status': [],
  'controller/webhook': [],
  'runtime/gateway/workflow/template': [],
  'runtime/registry/listing': [],
};

const edges = [...new Set(Object.keys(FACES).map(folder => folder.split('/')[0] ?? ''))].flatMap(room =>
  globSync(`${room}/**/*.ts`, { cwd: ROOT }).flatMap(importsOf),
);

test.each(Object.entries(FACES))('%s is imported by its index', (folder, exempt) => {
  const into = edges.filter(({ from, to }) => to.startsWith(`${folder}/`) && !from.startsWith(`${folder}/`));
  expect(into.map(({ to }) => to)).toContain(`${folder}/index.ts`);
  const inner = into.filter(({ from, to }) => posix.relative(folder, to) !== 'index.ts' && !exempt.includes(from));
  expect(inner.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});
