/** Folders with a public `index.ts`: code outside of the folder may import only this file, even code of the same room. */
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';
import { listImports } from './imports.ts';

/** Each folder, with the files that may import other files of it as well, and the reason. */
const FACES: { readonly [folder: string]: readonly string[] } = {
  // The public interface of the room imports single files, so that its users load no more than they need.
  'compiler/analysis/access': ['compiler/index.ts'],
  'compiler/analysis/catalog': ['compiler/index.ts'],
  // The language server also highlights tokens of malformed templates.
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
  // Imported before the check whether this Node can run the libraries that the index imports.
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
  globSync(`${room}/**/*.ts`, { cwd: ROOT }).flatMap(listImports),
);

test.each(Object.entries(FACES))(
  'files outside of the folder %s import the folder only through its index.ts',
  (folder, exempt) => {
    const into = edges.filter(({ from, to }) => to.startsWith(`${folder}/`) && !from.startsWith(`${folder}/`));
    expect(into.map(({ to }) => to)).toContain(`${folder}/index.ts`);
    const inner = into.filter(({ from, to }) => posix.relative(folder, to) !== 'index.ts' && !exempt.includes(from));
    expect(inner.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  },
);
