/** The programs, entry points and version of the npm package. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { STANDALONE_PARTS } from '../../compiler/cdk8s/generate/standalone-source.ts';
import { PROGRAM, ROOT, run, temporaryFolder } from '../support/process.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly [member: string]: unknown;
  readonly version: string;
  readonly exports: object;
};

test('the names of the programs in the npm package do not change', () => {
  expect(manifest.bin).toEqual({
    lintel: 'dist/lintel.js',
    'lintel-runtime': 'dist/lintel-runtime.js',
    'lintel-controller': 'dist/lintel-controller.js',
    'lintel-bridge': 'dist/lintel-bridge.js',
  });
});

test('the entry points of the npm package do not change', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './cdk8s', './testing', './schemas', './package.json']);
  expect(manifest.main).toBe('./dist/compiler.js');
});

test('the name, license and module type of the npm package do not change', () => {
  expect(manifest).toMatchObject({ name: 'lintel', license: 'Apache-2.0', type: 'module' });
});

test('package.json, VERSION and `lintel --version` have the same version', async () => {
  expect(VERSION).toBe(manifest.version);
  expect((await run(PROGRAM.lintel, ['--version'])).stdout).toBe(`${manifest.version}\n`);
});

test('the npm package contains the files that commands read and that the README and docs/ link to', async () => {
  const files = await packed();
  const pages = files.filter(file => /^(README|docs\/.*)\.md$/.test(file));
  expect(pages.length).toBeGreaterThan(10);
  const linked = pages.flatMap(page =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
      posix.join(posix.dirname(page), path).replace(/\/$/, ''),
    ),
  );
  expect(linked.filter(path => !files.some(file => file === path || file.startsWith(`${path}/`)))).toEqual([]);
  expect(files).toContain('dist/sbom.cdx.json');
  // `lintel schema cdk8s` writes its file from these.
  expect(STANDALONE_PARTS.filter(part => !files.includes(part))).toEqual([]);
});

/** npm chooses files by name; with their real content it would take seconds to compress them. */
async function packed(): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  copyNames(ROOT, folder.path);
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder.path, encoding: 'utf8' }),
  ) as [{ files: readonly { readonly path: string }[] }];
  return files.map(({ path }) => path);
}

/** Empty files, except those by which npm chooses. */
function copyNames(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const { name } = entry;
    if (name === 'node_modules' || name === '.git') continue;
    if (entry.isDirectory()) {
      mkdirSync(join(to, name));
      copyNames(join(from, name), join(to, name));
    } else if (name === 'package.json' || name.endsWith('ignore')) copyFileSync(join(from, name), join(to, name));
    else if (entry.isFile()) writeFileSync(join(to, name), '');
  }
}
