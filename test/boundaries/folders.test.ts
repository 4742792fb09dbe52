/** Inside a room, imports between folders lead one way. */
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';
import { importsOf } from './imports.ts';

/** A folder stands for its subfolders that the order does not name, and imports those before it. A file of the room itself is named as it is. */
const ORDERS: { readonly [folder: string]: readonly string[] } = {
  controller: [
    'shared-strings.ts',
    'idle-gc.ts',
    'kube',
    // What is observed, and what is compiled from it.
    'definitions',
    'cluster-inputs',
    'pods',
    'compile',
    // What a reconcile writes, the loop, and what it asks: a repository, a destination, a forge.
    'status',
    'reconcile',
    'source',
    'apply',
    'forge',
    'webhook',
    'observe',
    'dashboard',
    'options.ts',
    // All parts together, for a folder and for a cluster.
    'folder',
    'cluster',
    'index.ts',
    'main.ts',
  ],
  compiler: [
    'usage-error.ts',
    'interrupted-error.ts',
    'package-files.ts',
    'text',
    'diagnostics',
    'html',
    // The stages.
    'source',
    'check',
    'resolve',
    'analysis',
    'analysis/templates',
    'analysis/json-schema',
    'analysis/pods',
    'analysis/catalog',
    'analysis/gateway',
    'analysis/cedar',
    'analysis/exposure',
    'analysis/registry',
    'analysis/access',
    // Makes manifests of plans, and stands before the rules because one asks which pod would be made.
    'emit',
    'rules',
    'lower',
    // MCPServers and MCPRemoteProxies, lowered as gateways of one backend.
    'servers',
    'lint',
    'compile',
    'compile.ts',
    // On top of the compiler.
    'incremental',
    'project',
    'cdk8s',
    'program',
    'audit-log',
    'doctor',
    'top',
    'connect',
    'fix',
    'completion',
    'client',
    'find',
    'explain',
    'starter',
    'import',
    'export',
    'validation-plugin',
    'workflow-tests',
    'language-server',
    'commands',
    'index.ts',
    'cli',
    'cli.ts',
    'main.ts',
    'start.ts',
  ],
  'runtime/gateway': [
    // What backends offer, and turns: nothing of a connection.
    'offers',
    'scheduling',
    'limits',
    // The wire towards backends, one folder for each transport and revision.
    'backends/messages',
    'backends',
    'backends/health',
    'backends/http',
    'backends/sse',
    'backends/stateless',
    'backends/era',
    // Where a request goes, for whom.
    'optimizer/embeddings',
    'optimizer',
    'routing',
    'served-bundle.ts',
    'callers',
    // What clients get, by the revision that they speak.
    'workflow/template',
    'workflow/engine',
    'workflow',
    'tasks',
    'sessions',
    'stateless/rounds',
    'stateless',
    'connection.ts',
    'gateway.ts',
  ],
};

/** Folders whose types, too, are imported in this order alone. */
const STRICT: ReadonlySet<string> = new Set(['compiler']);

describe.each(Object.entries(ORDERS))('%s', (root, order) => {
  const files = globSync(`${root}/**/*.ts`, { cwd: ROOT });
  const edges = files
    .flatMap(importsOf)
    .filter(({ to, isType }) => to.startsWith(`${root}/`) && (STRICT.has(root) || !isType));
  const folder = (file: string) => placeIn(order, posix.relative(root, file));

  test('every folder and file stands in the order, and the order names no other', () => {
    expect(new Set(files.map(folder))).toEqual(new Set(order));
    expect(edges.length).toBeGreaterThan(files.length);
  });

  test('folders import those before them alone', () => {
    const backward = edges.filter(({ from, to }) => order.indexOf(folder(from)) < order.indexOf(folder(to)));
    expect(backward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

/** The innermost folder that the order names, or the file itself. */
function placeIn(order: readonly string[], path: string): string {
  const above = posix.dirname(path);
  return order.includes(path) || above === '.' ? path : placeIn(order, above);
}
