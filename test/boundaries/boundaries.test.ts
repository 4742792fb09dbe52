import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** The arrows of the design, written out again: this test shares nothing with the linter's configuration. */
const MAY_IMPORT: { readonly [room: string]: readonly string[] } = {
  schemas: [],
  compiler: ['#schemas'],
  runtime: ['#schemas'],
  controller: ['#compiler', '#schemas'],
};

const filesOf = (room: string): string[] =>
  readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ts|mts|js|mjs)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name));

const specifiersIn = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].map(match => match[1] ?? '');

describe.each(Object.entries(MAY_IMPORT))('%s', (room, allowed) => {
  const files = filesOf(room);

  test('is not empty', () => expect(files.length).toBeGreaterThan(0));

  test('imports other rooms only where an arrow points, and only their index', () => {
    const crossings = files.flatMap(file =>
      specifiersIn(readFileSync(file, 'utf8'))
        .filter(specifier => specifier.startsWith('#') || leaves(room, file, specifier))
        .filter(specifier => !allowed.includes(specifier))
        .map(specifier => `${file.slice(ROOT.length + 1)} -> ${specifier}`),
    );
    expect(crossings).toEqual([]);
  });

  test('switches no boundary rule off', () => {
    const switches = files.filter(file =>
      /dependency-cruiser-disable|depcruise-ignore/.test(readFileSync(file, 'utf8')),
    );
    expect(switches).toEqual([]);
  });
});

function leaves(room: string, file: string, specifier: string): boolean {
  return specifier.startsWith('.') && !resolve(dirname(file), specifier).startsWith(`${join(ROOT, room)}/`);
}

describe('the built runtime', () => {
  let text = '';
  let inputs: string[] = [];

  beforeAll(async () => {
    const { outputFiles, metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ['runtime/main.ts'],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      conditions: ['lintel-source'],
      metafile: true,
      logLevel: 'error',
    });
    text = outputFiles.map(file => file.text).join('\n');
    inputs = bytesIn(metafile);
  });

  test.each([
    'yaml',
    'typebox',
    'ajv',
    'cdk8s',
    'constructs',
    'esbuild',
    'commander',
    '@kubernetes/client-node',
    '@modelcontextprotocol/sdk',
    'js-yaml',
  ])('contains nothing of %s', name => {
    expect(inputs.filter(input => input.includes(`node_modules/${name}/`))).toEqual([]);
  });

  test('contains nothing of the compiler and no generated schema', () => {
    expect(inputs.filter(input => /^(compiler|controller)\//.test(input))).toEqual([]);
    expect(inputs.filter(input => input.startsWith('schemas/generated/'))).toEqual([]);
    expect(text).not.toMatch(/LNT\d{4}/);
    expect(text).not.toContain('x-kubernetes-validations');
  });

  test('the one in dist/ says the same', () => {
    const shipped = readFileSync(join(ROOT, 'dist/lintel-runtime.js'), 'utf8');
    expect(shipped).not.toMatch(/LNT\d{4}/);
    for (const marker of ['BLOCK_SCALAR', 'x-kubernetes-validations', 'TypeBox', 'kubeConfig', 'ApiObject']) {
      expect(shipped, marker).not.toContain(marker);
    }
    expect(readFileSync(join(ROOT, 'dist/lintel.js'), 'utf8')).toMatch(/LNT\d{4}/);
  });
});

function bytesIn({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(output =>
    Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([input]) => input),
  );
}

describe('the boundary linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-boundary-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['runtime/bad.ts', "import '../compiler/index.ts';", 'runtime-imports'],
    ['schemas/bad.ts', "import '../runtime/index.ts';", 'schemas-imports'],
    ['compiler/bad.ts', "import '../schemas/names.ts';", 'schemas-through-index'],
    ['schemas/bad.ts', "import 'node:fs';", 'schemas-are-pure'],
  ])('sees %s with %s', (file, code, rule) => {
    for (const room of ['schemas', 'compiler', 'runtime', 'controller', 'examples']) {
      mkdirSync(join(folder, room), { recursive: true });
      writeFileSync(join(folder, room, 'index.ts'), 'export {};\n');
    }
    writeFileSync(join(folder, 'schemas/names.ts'), 'export {};\n');
    writeFileSync(join(folder, 'tsconfig.json'), '{}');
    writeFileSync(join(folder, file), code);
    const config = join(ROOT, '.dependency-cruiser.cjs');
    const args = [join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'), '--config', config];
    let output = '';
    try {
      execFileSync(process.execPath, [...args, 'schemas', 'compiler', 'runtime'], { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    rmSync(join(folder, file));
    expect(output).toContain(rule);
  });
});
