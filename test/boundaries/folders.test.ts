/** Inside a room, folders import each other in one direction only. */
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';
import { listImports } from './imports.ts';

/**
 * The order of the folders in each room: a folder may import the folders before it, and this also holds for imports of types. A folder includes its
 * subfolders, unless the list names them. Files directly in the room are listed by name.
 */
const ORDERS: { readonly [folder: string]: readonly string[] } = {
  schemas: [
    'version.ts',
    'names.ts',
    'addresses.ts',
    'certificate-authorities.ts',
    'compare-text.ts',
    'json-object.ts',
    'git-names.ts',
    'host-header.ts',
    'supported-node.ts',
    'tls-environment.ts',
    // The definitions, the generator, and what it writes.
    'kinds',
    'registry-config',
    'files',
    'generated',
    'known-fields.ts',
    'generate',
    'kinds-file.ts',
    'file-schemas.ts',
    // What bundles and registries contain.
    'bundle',
    'object-names.ts',
    'server-json',
    'index.ts',
  ],
  bridge: [
    'log.ts',
    'message.ts',
    'process',
    'server.ts',
    'sessions',
    'bridge.ts',
    'http',
    // The program.
    'options.ts',
    'read-config.ts',
    'serve-one.ts',
    'main.ts',
  ],
  controller: [
    'tuning',
    'kube',
    // What is observed, and what is compiled from it.
    'definitions',
    'cluster-inputs',
    'pods',
    'compile',
    // What a reconcile writes, the loop, and what it uses: a repository, a destination, a forge.
    'status',
    'reconcile',
    'source',
    'apply',
    'forge',
    'webhook',
    'observe',
    'dashboard',
    'options.ts',
    // Assembles all parts, for a folder and for a cluster.
    'folder',
    'cluster',
    'index.ts',
    'main.ts',
  ],
  compiler: [
    'usage-error.ts',
    'interrupted-error.ts',
    'package-files.ts',
    'own-command.ts',
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
    // Writes manifests of plans. It comes before the rules, because one rule needs the pod that would be created.
    'emit',
    'rules',
    'lower',
    // MCPServers and MCPRemoteProxies, lowered as gateways with one backend.
    'servers',
    'lint',
    'compile',
    'compile.ts',
    // Built on the compiler.
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
  runtime: [
    // Without an import of the runtime.
    'tuning',
    'sealed-text.ts',
    'undo.ts',
    'standard-streams.ts',
    'state-folder.ts',
    'running-runtime.ts',
    // The log, and metrics that each part keeps for itself.
    'observe/visible-text.ts',
    'observe/log.ts',
    'observe/batch.ts',
    'observe/own-work.ts',
    'observe/metrics',
    // Connections and protocols, for clients and for backends.
    'http',
    'auth',
    'auth/outgoing',
    'auth/incoming',
    'auth/authorization',
    'redis',
    'shared-sessions',
    'mcp',
    'bundle',
    'options.ts',
    'active-authenticator.ts',
    // What a gateway is made of.
    'authserver',
    'gateway',
    // What is observed of requests, and how it is written.
    'observe/requests',
    'observe/otlp',
    'observe/audit',
    'observe',
    // A registry server.
    'registry',
    // The programs, and what assembles a gateway.
    'queried-backend.ts',
    'list-backends.ts',
    'call.ts',
    'gateway-parts.ts',
    'open-auth-server.ts',
    'prepare-swap.ts',
    'open-gateway.ts',
    'serve-gateway.ts',
    'rehearsal',
    'workers',
    'serve.ts',
    'index.ts',
    'main.ts',
  ],
  'runtime/gateway': [
    // What backends offer, and scheduling: independent of connections.
    'offers',
    'scheduling',
    'limits',
    // The protocol towards backends, one folder for each transport and revision.
    'backends/messages',
    'backends',
    'backends/health',
    'backends/http',
    'backends/sse',
    'backends/stateless',
    'backends/era',
    // The connection to each backend: the sessions with it, and its lists for callers.
    'connections',
    // Where a request goes, and for which caller.
    'optimizer/embeddings',
    'optimizer',
    'served-bundle.ts',
    'routing',
    'callers',
    // What clients get, by the revision that they speak.
    'workflow/template',
    'workflow/engine',
    'workflow',
    'tasks',
    'sessions',
    'stateless/rounds',
    'stateless',
    'gateway.ts',
  ],
};

describe.each(Object.entries(ORDERS))('%s', (root, order) => {
  const files = globSync(`${root}/**/*.ts`, { cwd: ROOT });
  const edges = files.flatMap(listImports).filter(({ to }) => to.startsWith(`${root}/`));
  const folder = (file: string) => placeIn(order, posix.relative(root, file));

  test(`the import order for ${root} in this test lists exactly the folders and files that exist`, () => {
    expect(new Set(files.map(folder))).toEqual(new Set(order));
    expect(edges.length).toBeGreaterThan(files.length);
  });

  test(`each folder of ${root} imports only folders that come before it in the import order`, () => {
    const backward = edges.filter(({ from, to }) => order.indexOf(folder(from)) < order.indexOf(folder(to)));
    expect(backward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

/** The innermost folder that the order names, or the file itself. */
function placeIn(order: readonly string[], path: string): string {
  const above = posix.dirname(path);
  return order.includes(path) || above === '.' ? path : placeIn(order, above);
}
