/** From YAML to a program and back, with the installed package and no other file of Lintel. */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pack } from '../../../build/package/pack.ts';
import { type Outcome, ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Packages that a registry would supply, with their dependencies. */
const PEERS = ['cdk8s', 'constructs', 'esbuild', 'typescript', '@types', 'undici-types'];

/** Much longer than any command, because machines are busy. Milliseconds. */
const LIMIT_MS = 300_000;

const WORKFLOW = `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPCompositeToolDefinition
metadata: { name: triage }
spec:
  name: triage
  description: Sorts issues
  parameters: { type: object, properties: { repo: { type: string } }, required: [repo] }
  steps:
    - { id: search, tool: docs.search, arguments: { query: "repo:{{.params.repo}}" } }
    - { id: show, tool: docs.read, dependsOn: [search], arguments: { page: "{{ len .steps.search.output.text }}" } }
`;

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder({ 'package.json': '{ "private": true }', 'specs/triage.yaml': WORKFLOW });
  for (const example of ['ci', 'identity', 'quickstart'])
    await cp(join(ROOT, 'examples', example, 'specs'), folder.file(`specs/${example}`), { recursive: true });
  // Two examples have a login named "company", which one repository cannot contain twice.
  for (const file of ['company.yaml', 'gateway.yaml']) {
    const text = await readFile(folder.file(`specs/ci/${file}`), 'utf8');
    await folder.write({ [`specs/ci/${file}`]: text.replaceAll('name: company', 'name: engineers') });
  }
  for (const file of ['registry.yaml', 'servers.json'])
    await cp(join(ROOT, 'examples/registry-local', file), folder.file(file));
  await pack(folder.path);
  await succeeded('npm install --offline --no-audit --no-fund ./lintel-*.tgz');
  for (const name of PEERS) await symlink(join(ROOT, 'node_modules', name), folder.file(`node_modules/${name}`));
}, LIMIT_MS);

afterAll(() => folder[Symbol.asyncDispose]());

test('`lintel build` makes bundles with the same digests from specs, from their exported program, and from its YAML', {
  timeout: 300_000,
}, async () => {
  await succeeded('npx --no -- lintel build specs registry.yaml --out of-specs');
  await succeeded('npx --no -- lintel export ts specs registry.yaml --out app.ts');
  await succeeded('npx --no -- lintel check app.ts');
  await succeeded('npx --no -- lintel build app.ts --out of-program');
  const bundles = await filesIn('of-specs');
  expect(bundles.filter(file => file.endsWith('/bundle.json'))).toHaveLength(4);
  expect(await filesIn('of-program')).toEqual(bundles);

  await succeeded('npx --no -- lintel export yaml app.ts --out yaml');
  // Its path is relative to the file that names it.
  await succeeded('cp servers.json yaml');
  await succeeded('npx --no -- lintel build yaml --out of-yaml');
  expect(await filesIn('of-yaml')).toEqual(bundles);

  // The whole program has intent-level constructs.
  const program = await readFile(folder.file('app.ts'), 'utf8');
  expect(program.match(/new (\w+)/g)).toEqual(
    expect.arrayContaining(['new Gateway', 'new WorkflowDefinition', 'new RegistryFile']),
  );
  expect(program).not.toContain('Written out');
});

/** Files of bundles, whose paths contain the digests. */
async function filesIn(out: string): Promise<readonly string[]> {
  return (await readdir(folder.file(`${out}/bundles`), { recursive: true })).sort();
}

async function succeeded(line: string): Promise<string> {
  const { code, stdout, stderr } = await shell(line);
  if (code !== 0) throw new Error(`${line}: exit code ${code}: ${stdout}${stderr}`);
  return stdout;
}

function shell(line: string): Promise<Outcome> {
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: folder.path,
    CI: 'true',
    NO_COLOR: '1',
  };
  return new Promise((resolve, reject) => {
    const options = { cwd: folder.path, env, timeout: LIMIT_MS };
    const child = execFile('bash', ['-eo', 'pipefail', '-c', line], options, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
