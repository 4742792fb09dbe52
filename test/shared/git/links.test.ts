/** Symbolic links in a commit are resolved as the file system resolves them. */
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveLinks } from '../../../shared/git/symlinks.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';

let folder: TemporaryFolder;
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'));
const target = fc
  .array(fc.constantFrom('a', 'b', 'c', '..', '.', ''), { minLength: 1, maxLength: 5 })
  .map(parts => parts.join('/'))
  .filter(text => text !== '' && !text.startsWith('/'));

/** Files and links, with no file where a folder is needed. */
const tree = fc
  .tuple(
    fc.array(path, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(path, target), { minLength: 1, maxLength: 5 }),
  )
  .map(([files, links]) => {
    const entries = new Map<string, string | null>([...files.map(file => [file, null] as const), ...links]);
    for (const entry of [...entries.keys()])
      if ([...entries.keys()].some(other => other.startsWith(`${entry}/`))) entries.delete(entry);
    return entries;
  });

test('symbolic links in a random Git tree are resolved as a file system resolves them', () => {
  fc.assert(
    fc.property(tree, entries => {
      count += 1;
      // Deep enough that no target leads above it.
      const around = folder.file(`${count}/x/x/x/x/x/x`);
      const root = join(around, 'root');
      mkdirSync(root, { recursive: true });
      for (const [path, target] of entries) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        if (target === null) writeFileSync(join(root, path), '');
        else symlinkSync(target, join(root, path));
      }
      const files = [...entries].map(([path, target]) => ({ path, isLink: target !== null }));
      const targets = new Map([...entries].filter((entry): entry is [string, string] => entry[1] !== null));
      const bad = new Set(resolveLinks(files, targets).map(({ path }) => path));
      for (const path of targets.keys()) {
        const real = existsSync(join(root, path)) ? realpathSync(join(root, path)) : undefined;
        const isInside = real !== undefined && (real === root || real.startsWith(`${root}/`));
        // A path that leaves the tree and comes back is refused too; no path that ends outside is accepted.
        if (!isInside) expect(bad, `${path} of ${JSON.stringify([...entries])}`).toContain(path);
        else if (!leaves(path, targets)) expect(bad, `${path} of ${JSON.stringify([...entries])}`).not.toContain(path);
      }
    }),
    { numRuns: runs(400), seed: 20260701 },
  );
});

/** Whether the path may go above the root; it may report too many paths, never too few. */
function leaves(path: string, targets: ReadonlyMap<string, string>): boolean {
  return [path, ...targets.values()].join('/').split('/').includes('..');
}

test.each<[what: string, targets: Record<string, string>, problem: string | undefined]>([
  ['a link to itself is refused', { a: 'a' }, 'in a circle; remove the link'],
  ['forty links are followed', chain(39), undefined],
  ['more than forty links are refused', chain(41), 'in a circle; remove the link'],
])('a symbolic link in a Git tree is followed through at most forty links: %s', (_what, targets, problem) => {
  const links = new Map(Object.entries(targets));
  const files = [...links.keys()].map(path => ({ path, isLink: true }));
  const bad = resolveLinks([...files, { path: 'end', isLink: false }], links);
  expect(bad.find(({ path }) => path === 'a')?.problem).toBe(problem);
});

/** Links of which each leads to the next. */
function chain(length: number): Record<string, string> {
  const names = ['a', ...Array.from({ length: length - 1 }, (_, index) => `link-${index}`), 'end'];
  return Object.fromEntries(names.slice(0, -1).map((name, index) => [name, names[index + 1] as string]));
}

test('resolving the symbolic links of a Git tree has one limit of steps for all links, so that no tree takes long', () => {
  const way = 'd/../'.repeat(380);
  const names = Array.from({ length: 4_000 }, (_, at) => `l${at}`);
  const targets = new Map(names.map((name, at) => [name, at % 38 === 0 ? `${way}d/a` : `${way}l${at - 1}`]));
  const files = [{ path: 'd/a', isLink: false }, ...names.map(path => ({ path, isLink: true }))];
  const [first] = resolveLinks(files, targets);
  expect(first?.problem).toBe('over too many other links; make the link lead to its target directly');
  // All links of a large ordinary repository are followed.
  const honest = Array.from({ length: 10_000 }, (_, at) => `team/service/config/${at}/link`);
  const honestFiles = [{ path: 'common/specs/a', isLink: false }, ...honest.map(path => ({ path, isLink: true }))];
  expect(resolveLinks(honestFiles, new Map(honest.map(path => [path, '../../../../common/specs/a'])))).toEqual([]);
});
