/** Checks the instructions of the Containerfiles, and starts the programs that they copy; `runtime.test.ts` builds the runtime's image. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TestRepository } from '../support/git-repository.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CONTAINERFILES: { readonly [image: string]: string } = {
  lintel: 'compiler/Containerfile',
  'lintel-bridge': 'bridge/Containerfile',
  'lintel-controller': 'controller/Containerfile',
  'lintel-runtime': 'runtime/Containerfile',
};
const IMAGES = Object.keys(CONTAINERFILES);

const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

const folder = mkdtempSync(join(tmpdir(), 'lintel-images-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Stage {
  readonly from: string;
  readonly name: string;
  readonly lines: readonly string[];
}

/** Instructions by stage, with continued lines joined. */
function stagesOf(image: string): readonly Stage[] {
  const text = readFileSync(join(ROOT, CONTAINERFILES[image] ?? ''), 'utf8');
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  // The base images, which a build may replace.
  const bases = new Map(lines.flatMap(line => [/^ARG (\w+)=(\S+)$/.exec(line)?.slice(1) ?? []] as [string, string][]));
  const starts = lines.flatMap((line, at) => (line.startsWith('FROM ') ? [at] : []));
  return starts.map((start, index) => {
    const [, argument = '', name = ''] = /^FROM \$\{(\w+)\} AS (\S+)$/.exec(lines[start] ?? '') ?? [];
    return { from: bases.get(argument) ?? '', name, lines: lines.slice(start + 1, starts[index + 1]) };
  });
}

const finals = IMAGES.flatMap(image =>
  stagesOf(image)
    .slice(1)
    .map(stage => ({ image, ...stage })),
);

/** What `COPY --from=build A B /target/` copies, as pairs of a path in the repository and one in the image. */
function copies(lines: readonly string[]): readonly (readonly [string, string])[] {
  return lines
    .filter(line => line.startsWith('COPY '))
    .flatMap(line => {
      const [, source, ...paths] = line.split(' ');
      expect(source).toBe('--from=build');
      const target = paths.pop() ?? '';
      return paths.map(path => {
        const here = path.replace(/^\/src\//, '');
        return [here, target.endsWith('/') ? target + basename(here) : target] as const;
      });
    });
}

test('.containerignore and .dockerignore are equal, and keep files of the working folder out of an image build', () => {
  const ignored = readFileSync(join(ROOT, '.containerignore'), 'utf8');
  // Docker only knows this name.
  expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).toBe(ignored);
  expect(ignored.split('\n')).toEqual(expect.arrayContaining(['.git', 'dist', 'node_modules']));
});

test('each program that package.json lists under bin has a Containerfile', () => {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: object };
  expect(Object.keys(bin).sort()).toEqual(IMAGES);
});

test.each(IMAGES)('every base image of %s is pinned by digest', image => {
  for (const { from } of stagesOf(image)) expect(from).toMatch(/^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('the Containerfiles of all programs name the same base image for each build argument', () => {
  const pins = Object.values(CONTAINERFILES).flatMap(file =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, argument, base]) => ({
      argument,
      base,
    })),
  );
  expect(pins.length).toBeGreaterThanOrEqual(IMAGES.length);
  const bases = Map.groupBy(pins, ({ argument }) => argument);
  for (const [argument, named] of bases) expect(new Set(named.map(({ base }) => base)).size, argument).toBe(1);
});

test.each(IMAGES)('the first stage of the image %s installs the packages of package-lock.json', image => {
  const [build] = stagesOf(image);
  expect(build?.name).toBe('build');
  expect(build?.from).toMatch(/\/node:24-/);
  expect(build?.lines).toContain('COPY package.json package-lock.json ./');
  expect(build?.lines.some(line => line.startsWith('RUN npm ci '))).toBe(true);
});

describe.each(finals)('$image, stage $name', ({ image, name, lines }) => {
  test(`the image ${image}, stage ${name}, runs as a numeric user that is not root`, () => {
    const users = lines.filter(line => line.startsWith('USER '));
    // As a number: `runAsNonRoot` cannot check a name.
    expect(users).toHaveLength(1);
    expect(users[0]).toMatch(/^USER [1-9]\d+:[1-9]\d+$/);
  });

  test(`the image ${image}, stage ${name}, has labels with its name and version`, () => {
    const [label = ''] = lines.filter(line => line.startsWith('LABEL '));
    expect(label).toContain(`org.opencontainers.image.title="${image}"`);
    expect(label).toContain(`org.opencontainers.image.version="${VERSION}"`);
  });

  test(`the image ${image}, stage ${name}, starts its program without a shell`, () => {
    const entry = lines.filter(line => /^(ENTRYPOINT|CMD) /.test(line));
    expect(entry).toHaveLength(1);
    expect(entry[0]).toMatch(/^ENTRYPOINT \[".*"\]$/);
  });

  test(`the image ${image}, stage ${name}, copies only files that the build creates`, () => {
    for (const [here] of copies(lines)) expect(existsSync(join(ROOT, here)), here).toBe(true);
  });

  test(`the image ${image}, stage ${name}, has each .cjs file that its programs load on demand`, () => {
    const files = copies(lines).map(([, there]) => there);
    for (const [here, there] of copies(lines).filter(([path]) => path.endsWith('.js'))) {
      const besides = readFileSync(join(ROOT, here), 'utf8').matchAll(/["']\.\/([\w/-]+\.cjs)["']/g);
      for (const [, file = ''] of besides) {
        const path = join(dirname(there), file);
        expect(
          files.some(copied => path === copied || path.startsWith(`${copied}/`)),
          `${here} loads ${path}`,
        ).toBe(true);
      }
    }
  });

  test(`the image ${image}, stage ${name}, contains the software bill of materials (SBOM)`, () => {
    expect(copies(lines)).toContainEqual(['dist/sbom.cdx.json', '/app/dist/sbom.cdx.json']);
  });

  test(`the program of the image ${image}, stage ${name}, prints its version in a folder with only the files that the image copies`, () => {
    const root = join(folder, `${image}-${name}`);
    for (const [here, there] of copies(lines)) {
      mkdirSync(join(root, there, '..'), { recursive: true });
      cpSync(join(ROOT, here), join(root, there), { recursive: statSync(join(ROOT, here)).isDirectory() });
    }
    const version = execFileSync(process.execPath, [join(root, `app/dist/${image}.js`), '--version'], {
      cwd: root,
      env: {},
      encoding: 'utf8',
    });
    expect(version.trim()).toMatch(/^\d+\.\d+\.\d+/);
  });
});

test('the compiler with only the files of its image builds bundles with policies and prints the help of `lintel schema`', () => {
  const app = join(folder, 'lintel-lintel/app/dist/lintel.js');
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [app, ...args], { cwd: folder, env: {}, encoding: 'utf8' });
  cpSync(join(ROOT, 'examples/policies'), join(folder, 'policies'), { recursive: true });
  expect(run('build', 'policies', '--out', 'built')).toContain('sha256:');
  run('schema', '--help');
});

test('the controller with only the files of its image follows a repository', () => {
  const app = join(folder, 'lintel-controller-controller/app/dist/lintel-controller.js');
  const repository = new TestRepository(folder, 'gateways.git');
  const spec = readFileSync(join(ROOT, 'examples/quickstart/specs/quickstart.yaml'), 'utf8');
  repository.commit({ 'specs/gateway.yaml': spec });
  const args = ['--standalone', '--repo', repository.path, '--path', 'specs', '--out', 'followed', '--once'];
  const env = { PATH: process.env.PATH, HOME: folder };
  execFileSync(process.execPath, [app, ...args], { cwd: folder, env, stdio: 'pipe' });
  expect(readFileSync(join(folder, 'followed/index.json'), 'utf8')).toContain('sha256:');
});
