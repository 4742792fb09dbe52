/** The file names, the format's number and the members of a built bundle must stay as they are, because existing runtimes read them. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  BUNDLE_FILE,
  BUNDLE_FORMAT_VERSION,
  computeDigest,
  formatCanonicalJson,
  INDEX_FILE,
  toDigestDirectory,
} from '#schemas';
import { PROGRAM, ROOT, run, temporaryFolder } from '../support/process.ts';

const SPECS = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: "https://github.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

const BUNDLE = {
  aggregation: { priorityOrder: [], strategy: 'prefix' },
  authorization: { engine: 'none', policyCount: 0 },
  backends: [
    {
      addresses: 'public',
      auth: { type: 'unauthenticated' },
      headers: [],
      metadata: {
        group: 'tools',
        namespace: 'default',
        remote_url: 'https://github.example.com/mcp',
        tool_type: 'mcp',
        workload_type: 'server_entry',
      },
      name: 'github',
      timeoutMs: 30000,
      tools: { advertise: { type: 'all' }, overrides: {}, prefix: 'github_' },
      transport: 'streamable-http',
      url: 'https://github.example.com/mcp',
    },
  ],
  deployment: {
    imagePullSecrets: [],
    podTemplateSpec: null,
    networkPolicy: true,
    replicas: null,
    serviceAccount: null,
    serviceType: 'ClusterIP',
    sessionAffinity: 'ClientIP',
    statusReportingIntervalMs: 30000,
  },
  formatVersion: 1,
  incomingAuth: { type: 'anonymous' },
  kind: 'gateway',
  name: 'eng',
  namespace: 'default',
  operational: {
    health: { intervalMs: 30000, timeoutMs: 10000, unhealthyThreshold: 3 },
    logLevel: 'info',
    partialFailure: 'best_effort',
  },
  origin: { compilerVersion: version, sourceRevision: null },
  passthroughHeaders: [],
  requires: ['aggregation'],
  secrets: [],
  server: { metadata: {}, name: 'eng' },
};

test('the names and numbers of the bundle format do not change', () => {
  expect(BUNDLE_FORMAT_VERSION).toBe(1);
  expect(BUNDLE_FILE).toBe('bundle.json');
  expect(INDEX_FILE).toBe('index.json');
  expect(computeDigest('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(toDigestDirectory('sha256:00ff')).toBe('sha256-00ff');
});

test('the layout of a folder that `lintel build` writes does not change', async () => {
  await using folder = await temporaryFolder({ 'specs.yaml': SPECS });
  expect(await run(PROGRAM.lintel, ['build', '.', '--out', 'out'], { cwd: folder.path })).toMatchObject({ code: 0 });
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as {
    bundles: { digest: string; path: string }[];
  };
  const { digest = '', path = '' } = index.bundles[0] ?? {};
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(path).toBe(`bundles/default/eng/${digest.replace(':', '-')}`);
  expect(index).toEqual({
    formatVersion: 1,
    bundles: [{ kind: 'gateway', namespace: 'default', name: 'eng', digest, path }],
  });

  expect(await readdir(folder.file(join('out', path)))).toEqual(['bundle.json', 'exposure.json']);
  const bytes = await readFile(folder.file(join('out', path, 'bundle.json')));
  expect(JSON.parse(bytes.toString())).toEqual(BUNDLE);
  expect(bytes.toString()).toBe(formatCanonicalJson(BUNDLE));
  expect(computeDigest(bytes)).toBe(digest);
});
