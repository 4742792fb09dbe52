/** The example of a platform team's repository works with the installed package. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withPeers } from '../../support/peers.ts';
import { bundlesIn, type InstalledExample, installExample, LIMIT_MS } from './installed.ts';

interface Pipeline {
  readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
}

let example: InstalledExample;

beforeAll(async () => {
  example = await installExample();
}, LIMIT_MS);

afterAll(() => example[Symbol.asyncDispose]());

const text = (file: string) => readFile(example.repository.file(file), 'utf8');

test('every step in the pipeline of the cdk8s example succeeds', {
  timeout: LIMIT_MS,
}, async () => {
  const { jobs } = parse(await text('.github/workflows/lintel.yml')) as Pipeline;
  const steps = jobs.check.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  const printed: string[] = [];
  for (const step of steps) {
    const { code, stdout, stderr } = await example.shell(step);
    expect([step, code, code === 0 ? '' : stdout + stderr]).toEqual([step, 0, '']);
    printed.push(stdout);
  }
  const [, check = '', tests = ''] = printed;
  // One for each stage.
  expect(check.match(/^(?:\d+ hints?|no findings) in .*$/gm)).toHaveLength(2);
  expect(tests).toMatch(/Tests {2}18 passed/);
  expect(await readFile(example.summary, 'utf8')).toContain('5 gateways: 16 tools listed');
});

test('the program of the cdk8s example builds the same bundles from another folder, with cdk8s synth, and with a construct moved in the tree', {
  timeout: LIMIT_MS,
}, async () => {
  const { repository } = example;
  await example.lintel('build prod.ts --out out');
  const bundles = await bundlesIn(repository.file('out'));
  // For three gateways, and for the two servers that run in the cluster.
  expect(bundles.map(path => path.split('/')[1])).toEqual(['data', 'eng', 'github', 'pg', 'support']);

  const copy = await example.copy('another/folder');
  expect((await copy.lintel('build prod.ts --out out')).code).toBe(0);
  expect(await bundlesIn(copy.repository.file('out'))).toEqual(bundles);

  await bundled(repository.file('prod.ts'), repository.file('synth.cjs'));
  const synth = "const app = require('./synth.cjs').default; app.outdir = 'manifests'; app.synth()";
  expect(await example.shell(`CDK8S_OUTDIR=manifests node -e "${synth}"`)).toMatchObject({ code: 0 });
  expect((await example.lintel('build manifests --out from-manifests')).code).toBe(0);
  expect(await bundlesIn(repository.file('from-manifests'))).toEqual(bundles);

  const moved = (await text('platform.ts')).replace(
    "new EngTeam(this, 'eng-team'",
    "new EngTeam(new Construct(new Construct(this, 'anywhere'), 'else'), 'team-of-engineers'",
  );
  await copy.repository.write({ 'platform.ts': `import { Construct } from 'constructs';\n${moved}` });
  expect((await copy.lintel('build prod.ts --out moved')).code).toBe(0);
  expect(await bundlesIn(copy.repository.file('moved'))).toEqual(bundles);
});

describe('a slip is an error of TypeScript', () => {
  const SUPPORT = 'teams/support.ts';
  const cases: readonly [what: string, file: string, before: string, after: string][] = [
    ['an unknown tool', 'teams/eng.ts', '{ search_issues,', '{ serch_issues,'],
    ['an unknown argument', SUPPORT, "status: 'waiting' }", "state: 'waiting' }"],
    ['a value that an argument does not accept', SUPPORT, "status: 'waiting' }", "status: 'wating' }"],
    ['a field that no output has', SUPPORT, 'ticket.customer', 'ticket.costumer'],
  ];
  const shown: string[] = [];

  test.each(cases)(
    'TypeScript reports a typing error in the program of the cdk8s example: %s',
    { timeout: LIMIT_MS },
    async (what, file, before, after) => {
      const copy = await example.copy(what);
      const right = await text(file);
      expect(right).toContain(before);
      await copy.repository.write({ [file]: right.replace(before, after) });
      const { code, stdout } = await copy.lintel('check dev.ts');
      expect([code, stdout]).toEqual([1, expect.stringContaining('error[LNT1072] type-error')]);
      expect(stdout).toContain(` --> ${file}:`);
      shown.push(stdout);
    },
  );

  test('the README of the cdk8s example shows one of the type errors exactly as the compiler prints it', async () => {
    const readme = await text('README.md');
    expect(shown.filter(stdout => readme.includes(`\`\`\`console\n${stdout}\`\`\`\n`))).toHaveLength(1);
  });
});

test('a team of the cdk8s example that grants a destructive tool still opens it to no caller, and the tests of the example still pass', {
  timeout: LIMIT_MS,
}, async () => {
  const copy = await example.copy('granted');
  const right = await text('teams/data.ts');
  expect(right).toContain('.call(Tools.readOnly())');
  await copy.repository.write({
    'teams/data.ts': right.replace('Tools.readOnly()', 'Tools.readOnly(), pg.tools.drop_table'),
  });
  expect(await copy.lintel('exposure prod.ts')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ {2}pg_drop_table .* nobody$/m),
  });
  expect(await copy.shell('npm test')).toMatchObject({ code: 0, stdout: expect.stringContaining('18 passed') });
});

withPeers('jest').test(
  'the tests of the cdk8s example also pass in jest, as CommonJS',
  async () => {
    const { repository } = example;
    await bundled(repository.file('test/exposure.test.ts'), repository.file('jest/exposure.test.cjs'));
    await writeFile(
      join(repository.path, 'jest/jest.config.json'),
      JSON.stringify({ rootDir: '..', roots: ['<rootDir>/jest'], testMatch: ['**/*.test.cjs'], transform: {} }),
    );
    const { code, stderr } = await example.shell('node_modules/.bin/jest --config jest/jest.config.json');
    expect([code, stderr]).toEqual([0, expect.stringContaining('18 passed')]);
  },
  { timeout: LIMIT_MS },
);

test('the program of docs/typescript.md has no errors', { timeout: LIMIT_MS }, async () => {
  const { repository } = example;
  const page = await text('node_modules/lintel/docs/typescript.md');
  const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  await repository.write({ 'app.ts': program });
  const { code, stdout } = await example.lintel('exposure app.ts --no-config');
  expect([code, stdout]).toEqual([0, expect.stringContaining('mcp/eng-gateway')]);
});

/** As one CommonJS file, with jest in place of vitest. */
async function bundled(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    alias: { vitest: '@jest/globals' },
    logLevel: 'error',
  });
}
