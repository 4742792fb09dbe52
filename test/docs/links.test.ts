/** Links of the documentation: each relative link is a file or folder of the repository, and each fragment a heading. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync(['docs/**/*.md', '{schemas,compiler,runtime,bridge,controller,shared,testing,examples,test}/**/*.md'], {
    cwd: ROOT,
    exclude: path => path.includes('node_modules') || path.includes('/goldens/') || path.includes('/expected/'),
  }),
];

/** Heading ids as on GitHub: lower case, without punctuation, spaces as hyphens, repeated ones numbered. */
function headingIds(text: string): ReadonlySet<string> {
  const ids = new Set<string>();
  const outside = text.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of outside.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const id = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = id;
    for (let count = 1; ids.has(unique); count++) unique = `${id}-${count}`;
    ids.add(unique);
  }
  return ids;
}

function broken(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', fragment] = link.split('#');
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(file)) return [`${page}: ${link}: no such file`];
    if (fragment === undefined || statSync(file).isDirectory() || !file.endsWith('.md')) return [];
    return headingIds(readFileSync(file, 'utf8')).has(fragment) ? [] : [`${page}: ${link}: no such heading`];
  });
}

test('each link of a documentation page leads to an existing file or heading', () => {
  expect(PAGES.length).toBeGreaterThan(50);
  expect(PAGES.flatMap(broken)).toEqual([]);
});
