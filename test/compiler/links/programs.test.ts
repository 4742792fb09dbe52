/** The compiler follows no symbolic link of a program that leads outside of its repository and packages. */
import { mkdir, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { type Files, ProgramWorld } from '../../support/program-world.ts';

const SECRET = '{ "password": "swordfish" }';
const HEAD = `import { App, ApiObject, Chart } from 'cdk8s';
const app = new App();
const chart = new Chart(app, 'Eng');
export default app;
const give = (data: unknown) => new ApiObject(chart, 'a', { apiVersion: 'v1', kind: 'ConfigMap', data });
`;

/** A repository with a program, and links to a folder outside it. */
async function worldWith(files: Files, links: Files, isRepository = true) {
  const outside = await temporaryFolder({
    'secret.json': SECRET,
    'secret.ts': 'export const password: number = "swordfish";\n',
    'broken.json': '{ "swordfish',
    'package/package.json': '{ "name": "linked", "type": "module" }',
    'package/index.js': 'export const password = "swordfish";\n',
    'tsconfig.json': '{ "compilerOptions": { "swordfish": true } }',
  });
  const world = await ProgramWorld.with(files, ['cdk8s', 'constructs', 'esbuild', 'typescript']);
  if (isRepository) await mkdir(`${world.folder}/.git`);
  for (const [link, target] of Object.entries(links)) await symlink(outside.file(target), `${world.folder}/${link}`);
  return {
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
    },
  };
}

const importing = (specifier: string) =>
  `import * as found from '${specifier}';\n${HEAD}give({ found: Object.keys(found) });\n`;

async function outcomeOf(files: Files, links: Files, options: { isRepository?: boolean; typecheck?: boolean } = {}) {
  await using made = await worldWith(files, links, options.isRepository);
  const { outcome } = await made.world.run('app.ts', { typecheck: options.typecheck ?? false });
  const found = outcome.diagnostics.map(({ code, range, message }) => `${code} ${range.start.line} ${message}`);
  const shown = JSON.stringify([outcome.diagnostics, [...outcome.texts.values()].map(({ text }) => text)]);
  return { found, shown, objects: outcome.documents.length, complete: outcome.complete };
}

test.each<[name: string, specifier: string, links: Files]>([
  ['a file', './secret.json', { 'secret.json': 'secret.json' }],
  ['a file with invalid JSON', './broken.json', { 'broken.json': 'broken.json' }],
  ['a file in a folder', './folder/secret.json', { folder: '' }],
  ['a package without a name', 'unnamed/secret.json', { 'node_modules/unnamed': '' }],
])(
  'lintel check refuses a program that imports %s behind a link out of the repository',
  async (_, specifier, links) => {
    const { found, shown, objects, complete } = await outcomeOf({ 'app.ts': importing(specifier) }, links);
    expect(found).toEqual(['LNT1018 1 cannot read the module: the link leads out of the repository']);
    expect(shown).not.toContain('swordfish');
    expect([objects, complete]).toEqual([0, false]);
  },
);

test.each<[name: string, specifier: string, links: Files, isRepository: boolean]>([
  ['a linked package', 'linked', { 'node_modules/linked': 'package' }, true],
  ['a linked file outside of a repository', './secret.json', { 'secret.json': 'secret.json' }, false],
])('lintel check compiles a program that imports %s', async (_, specifier, links, isRepository) => {
  const { found, objects } = await outcomeOf({ 'app.ts': importing(specifier) }, links, { isRepository });
  expect(found).toEqual([]);
  expect(objects).toBe(1);
});

test('a program may read a file of the repository while it runs, and no file behind a link out of the repository', async () => {
  const read = (file: string) =>
    `${HEAD}import { readFileSync } from 'node:fs';\ngive({ a: readFileSync('${file}', 'utf8') });\n`;
  const files = { 'values/own.txt': 'a' };
  const links = { 'values/secret.json': 'secret.json', 'values/folder': '' };
  const run = (file: string) => outcomeOf({ ...files, 'app.ts': read(file) }, links);
  expect(await run('values/own.txt')).toMatchObject({ found: [], objects: 1 });
  for (const file of ['values/secret.json', 'values/folder/secret.json']) {
    const { found, shown } = await run(file);
    expect(found).toEqual([expect.stringMatching(/^LNT1083 7 /)]);
    expect(shown).not.toContain('swordfish');
  }
});

test('lintel check reads no types of a program behind a link out of the repository', async () => {
  const app = `import type { password } from './secret.ts';\n${HEAD}give({ a: null as typeof password | null });\n`;
  const { found, shown } = await outcomeOf({ 'app.ts': app }, { 'secret.ts': 'secret.ts' }, { typecheck: true });
  expect(found).toEqual([expect.stringMatching(/^LNT1018 .*the link leads out of the repository$/)]);
  expect(shown).not.toContain('swordfish');
});

test('lintel check reads no tsconfig.json behind a link out of the repository', async () => {
  const links = { 'tsconfig.json': 'tsconfig.json' };
  const { found, shown } = await outcomeOf({ 'app.ts': `${HEAD}give({});\n` }, links, { typecheck: true });
  expect(found).toEqual([expect.stringMatching(/^LNT1018 .*tsconfig.json.* the link leads out of the repository$/)]);
  expect(shown).not.toContain('swordfish');
});
