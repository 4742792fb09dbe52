/** Programs that reach for files, processes or the network: each is one finding, at its place in TypeScript. */
import { mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { line, ProgramWorld } from '../../support/program-world.ts';
import { type BadProgram, expectFindings, HEAD } from './bad-programs.ts';

const FORBIDDEN: readonly BadProgram[] = [
  [
    'prints',
    `console.log('hello');\nconsole.log('again');`,
    ['LNT1079 hint app.ts:6:9 the program prints to standard output'],
  ],
  [
    'prints by file descriptor 1',
    `import { writeSync } from 'node:fs';\nwriteSync(1, 'hello');`,
    ['LNT1079 hint app.ts:1:1 the program prints to standard output'],
  ],
  ['prints to standard error, which is allowed', `console.error('hello');`, []],
  [
    'writes a file',
    `import { writeFileSync } from 'node:fs';\nwriteFileSync('out.yaml', '');`,
    ['LNT1080 error app.ts:7:1 the program writes out.yaml'],
  ],
  [
    'writes a file by cdk8s',
    `import { Yaml } from 'cdk8s';\nYaml.save('out.yaml', []);`,
    ['LNT1080 error app.ts:7:6 the program writes out.yaml'],
  ],
  [
    'reads a file outside of the project',
    `import { readFileSync } from 'node:fs';\nreadFileSync('/etc/passwd');`,
    ['LNT1083 error app.ts:7:1 the program reads /etc/passwd, which is outside of its project'],
  ],
  [
    'starts a process',
    `import { execSync } from 'node:child_process';\nexecSync('true');`,
    ['LNT1082 error app.ts:7:1 the program starts a process: /bin/sh'],
  ],
  [
    'starts a worker',
    `import { Worker } from 'node:worker_threads';\nnew Worker('1', { eval: true });`,
    ['LNT1082 error app.ts:7:1 the program starts a worker'],
  ],
  [
    'opens the inspector',
    `import { Session } from 'node:inspector';\nnew Session().connect();`,
    ['LNT1082 error app.ts:7:15 the program uses a permission that programs do not have: Inspector'],
  ],
  [
    'imports node:sqlite',
    `import { DatabaseSync } from 'node:sqlite';\nnew DatabaseSync('teams.db');`,
    ['LNT1082 error app.ts:1:1 the program uses a permission that programs do not have: databases of node:sqlite'],
  ],
  [
    'requires node:sqlite',
    `const { DatabaseSync } = require('node:sqlite');\nnew DatabaseSync(':memory:').exec("VACUUM INTO 'teams.db'");`,
    ['LNT1082 error app.ts:6:26 the program uses a permission that programs do not have: databases of node:sqlite'],
  ],
  [
    'traces events',
    `import { createTracing } from 'node:trace_events';\ncreateTracing({ categories: ['node'] }).enable();`,
    ['LNT1080 error app.ts:7:1 the program writes node_trace.1.log'],
  ],
  [
    'writes a heap snapshot',
    `import v8 from 'node:v8';\nv8.setHeapSnapshotNearHeapLimit(1);`,
    ['LNT1080 error app.ts:7:4 the program writes Heap.heapsnapshot'],
  ],
  [
    'kills its parent process',
    `process.kill(process.ppid, 'SIGTERM');`,
    ['LNT1082 error app.ts:6:9 the program uses a permission that programs do not have: signals to other processes'],
  ],
  [
    'kills its process group',
    `process.kill(0, 'SIGTERM');`,
    ['LNT1082 error app.ts:6:9 the program uses a permission that programs do not have: signals to other processes'],
  ],
  [
    'changes the priority of its parent process',
    `import os from 'node:os';\nos.setPriority(process.ppid, 19);`,
    ['LNT1082 error app.ts:7:4 the program uses a permission that programs do not have: priorities of other processes'],
  ],
  [
    "writes to the compiler's pipe",
    `import { writeSync } from 'node:fs';\nobject('a');\nwriteSync(3, 'hello\\n');`,
    ['LNT1093 error app.ts:1:1 the output of the process of the program cannot be read'],
  ],
  [
    "writes an incomplete line to the compiler's pipe",
    `import { writeSync } from 'node:fs';\nobject('a');\nwriteSync(3, '{}');`,
    ['LNT1093 error app.ts:1:1 the output of the process of the program cannot be read'],
  ],
  [
    "writes a result of its own to the compiler's pipe",
    `import { writeSync } from 'node:fs';
writeSync(3, JSON.stringify({ outcome: { type: 'synthesized', charts: [{}] }, notes: [] }) + '\\n');`,
    ['LNT1093 error app.ts:1:1 the output of the process of the program cannot be read'],
  ],
  [
    "closes the compiler's pipe",
    `import { closeSync } from 'node:fs';\ncloseSync(3);`,
    ['LNT1093 error app.ts:1:1 the process of the program ended by exit code 7'],
  ],
  ['fetches', `await fetch('http://127.0.0.1:1/');`, ['LNT1081 error app.ts:6:7 the program uses the network: fetch']],
  [
    'fetches and ignores the error',
    `await fetch('http://127.0.0.1:1/').catch(() => {});`,
    ['LNT1081 error app.ts:6:7 the program uses the network: fetch'],
  ],
  [
    'opens a connection',
    `import { connect } from 'node:net';\nconnect(1);`,
    ['LNT1081 error app.ts:7:1 the program uses the network: a connection'],
  ],
  [
    'listens on a port',
    `import http from 'node:http';\nhttp.createServer().listen(0);`,
    ['LNT1081 error app.ts:7:21 the program uses the network: listening'],
  ],
  [
    'looks up a name',
    `import { promises } from 'node:dns';\nawait promises.resolve4('example.com');`,
    ['LNT1081 error app.ts:7:16 the program uses the network: a name lookup'],
  ],
  [
    'sends a datagram',
    `import { createSocket } from 'node:dgram';\ncreateSocket('udp4').send('x', 9, '127.0.0.1');`,
    ['LNT1081 error app.ts:7:22 the program uses the network: a datagram socket'],
  ],
];

test.concurrent.each(FORBIDDEN)(
  'lintel check gives the expected findings for a program that %s',
  (_name, body, expected, options) => expectFindings(body, expected, options),
);

test('a program may read files of packages, and no files next to a module outside of the project', async () => {
  await using world = await ProgramWorld.with({
    'repository/package.json': '{ "type": "module" }',
    'repository/app.ts': `${HEAD}import { readFileSync } from 'node:fs';
import { fromLibrary } from '@platform/library';
import { shared } from '../elsewhere/shared.ts';
object('a', { data: { shared, fromLibrary, text: readFileSync('../elsewhere/shared.ts', 'utf8') } });
if (process.env.LINTEL_TEST_BESIDE) readFileSync('../elsewhere/key.txt');
`,
    'elsewhere/shared.ts': `export const shared = 'shared';\n`,
    'elsewhere/key.txt': 'key',
    'library/package.json': '{ "name": "@platform/library", "type": "module", "exports": "./code/index.js" }',
    'library/code/index.js': `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
export const fromLibrary = readFileSync(join(import.meta.dirname, '../data/name.txt'), 'utf8');\n`,
    'library/data/name.txt': 'library',
    'repository/node_modules/.keep': '',
  });
  await mkdir(join(world.folder, 'repository/node_modules/@platform'));
  await symlink(join(world.folder, 'library'), join(world.folder, 'repository/node_modules/@platform/library'));
  const { outcome, synthesized } = await world.run('repository/app.ts');
  expect(outcome.diagnostics).toEqual([]);
  expect(synthesized?.charts[0]?.objects[0]?.value).toMatchObject({
    data: { shared: 'shared', fromLibrary: 'library', text: "export const shared = 'shared';\n" },
  });
  process.env.LINTEL_TEST_BESIDE = 'yes';
  const beside = await world.run('repository/app.ts', { environment: ['LINTEL_TEST_BESIDE'] });
  delete process.env.LINTEL_TEST_BESIDE;
  expect(beside.outcome.diagnostics.map(line)).toEqual([
    `LNT1083 error repository/app.ts:10:37 the program reads ../elsewhere/key.txt, which is outside of its project`,
  ]);
});

test('a program may use the network with --allow-network', async () => {
  const server = createServer((_request, response) => response.end('from-afar'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using world = await ProgramWorld.with({
    'app.ts': `${HEAD}object('a', { data: { a: await (await fetch('http://127.0.0.1:${port}/')).text() } });\n`,
  });
  const { synthesized, outcome } = await world.run('app.ts', { allowNetwork: true });
  server.close();
  expect(outcome.diagnostics).toEqual([]);
  expect(synthesized?.charts[0]?.objects[0]?.value).toMatchObject({ data: { a: 'from-afar' } });
});
