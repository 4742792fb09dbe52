/**
 * Records what the servers of `servers.json` offer into `lintel.lock.json`, by `lintel lock` through the adapter. Run it by hand: it needs the
 * packages, and a file with the command of each server on this machine.
 *
 *     node --conditions=lintel-source test/bench/retrieval/record.ts launch.json
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../../support/process.ts';
import { StdioAdapter, type StdioServer } from './stdio-adapter.ts';

const PORT = 47_300;
const FOLDER = import.meta.dirname;
const launch = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Readonly<Record<string, StdioServer>>;

const names = Object.keys(launch).sort();
const backends = names.map(
  name => `      - { name: ${name}, url: "http://127.0.0.1:${PORT}/${name}/mcp", transport: streamable-http }\n`,
);
const objects = [
  `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: public, namespace: corpus }
spec: {}
`,
  `# Written by record.ts.
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: corpus, namespace: corpus }
spec:
  groupRef: { name: public }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config:
    backends:
${backends.join('')}`,
];
writeFileSync(join(FOLDER, 'corpus.yaml'), objects.join('---\n'));

await using _ = await StdioAdapter.start(new Map(Object.entries(launch)), PORT);
const { promise, resolve } = Promise.withResolvers<number | null>();
spawn(
  process.execPath,
  [PROGRAM.lintel, 'lock', join(FOLDER, 'corpus.yaml'), '--out', join(FOLDER, 'lintel.lock.json')],
  {
    stdio: 'inherit',
  },
).once('exit', resolve);
process.exitCode = (await promise) ?? 1;
