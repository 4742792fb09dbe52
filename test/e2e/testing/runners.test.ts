/** The test helpers of the installed package work in the test runners that users have, without Lintel's sources or aliases to them. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { ROOT } from '../../support/process.ts';

const run = promisify(execFile);

const BODY = `
const chart = new Chart(new App(), 'specs');
const add = (kind, name, spec) =>
  new ApiObject(chart, kind + name, { apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name }, spec });
add('MCPGroup', 'team', {});
add('MCPServerEntry', 'github', { groupRef: { name: 'team' }, remoteUrl: 'https://mcp.example.com/mcp', transport: 'streamable-http' });
add('VirtualMCPServer', 'eng', { groupRef: { name: 'team' }, incomingAuth: { type: 'anonymous' } });

test('an anonymous caller can call climate_search', () => {
  const cwd = ${JSON.stringify(join(ROOT, 'examples/quickstart'))};
  const locked = new Chart(new App(), 'locked');
  new Include(locked, 'file', { url: cwd + '/specs/quickstart.yaml' });
  compileExposure(locked, { cwd }).anonymous().canCall('climate_search');
});
test('an exposure without a catalog fails and names lintel lock', () => {
  expect(() => compileExposure(chart, { catalog: false }).anonymous().reaches(0)).toThrow('lintel lock');
  expect(() => compileExposure(chart, { catalog: false }).anonymous().canCall('github_search')).toThrow('lintel lock');
});
test('a dry run of an unknown workflow fails', async () => {
  await expect(dryRun(chart, 'triage', { catalog: false, tools: [fake({ backend: 'github', name: 'search' }, {})] })).rejects.toThrow('no workflow');
});
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lintel-runners-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Next to the installed packages, as the package itself would be.
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lintel itself is in no `node_modules` here: a link refers to it by its path. */
const LIBRARY = join(ROOT, 'dist');

withPeers('jest').test('the helpers of lintel/testing work in jest with CommonJS', async () => {
  const text = `const { App, Chart, ApiObject, Include } = require('cdk8s');
const { dryRun, compileExposure, fake } = require(${JSON.stringify(join(LIBRARY, 'testing.cjs'))});
${BODY}`;
  await writeFile(join(folder, 'exposure.test.js'), text);
  const { stderr } = await run(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), '--rootDir', folder], {
    cwd: folder,
  });
  expect(stderr).toContain('3 passed');
});

test('the helpers of lintel/testing work in vitest with ES modules', async () => {
  const text = `import { App, Chart, ApiObject, Include } from 'cdk8s';
import { expect, test } from 'vitest';
import { dryRun, compileExposure, fake } from ${JSON.stringify(join(LIBRARY, 'testing.js'))};
${BODY}`;
  await writeFile(join(folder, 'exposure.spec.mjs'), text);
  const { stdout } = await run(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, 'exposure.spec.mjs'],
    { cwd: folder, env: { ...process.env, NO_COLOR: '1' } },
  );
  expect(stdout).toContain('3 passed');
});
