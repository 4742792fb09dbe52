/** What the site is made of: the pages to which the README leads, and the files that they name. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A Markdown file as a page of the site. */
export interface SourcePage {
  /** From the root of the repository, such as `docs/access.md`. */
  readonly source: string;
  /** From the root of the site, such as `docs/access.html`. */
  readonly output: string;
  readonly title: string;
}

export interface Sources {
  /** By their source. */
  readonly pages: ReadonlyMap<string, SourcePage>;
  /** Other files that pages name, as the pages that show them. */
  readonly texts: ReadonlyMap<string, string>;
  /** Folders without a README that pages name, as the pages that list them. */
  readonly folders: ReadonlyMap<string, string>;
}

const HOME = 'README.md';

/** Replaced by a page for each kind and each field. */
export const REFERENCE = 'schemas/generated/REFERENCE.md';

/** Where readers are shown every file of a folder that a page names: elsewhere they get the list alone. */
const SHOWN_FOLDERS = /^(docs|examples|controller\/install)\//;

/** Reads all pages. @throws Error for a link that leads to nothing */
export function readSources(root: string): Sources {
  const pages = new Map<string, SourcePage>();
  const texts = new Map<string, string>();
  const folders = new Map<string, string>();
  const left = [HOME];
  const show = (file: string) => {
    if (file.endsWith('.md')) left.push(file);
    else texts.set(file, `${file}.html`);
  };
  for (let source = left.pop(); source !== undefined; source = left.pop()) {
    if (pages.has(source)) continue;
    const text = readFileSync(join(root, source), 'utf8');
    pages.set(source, { source, output: chooseOutput(source), title: readTitle(text) });
    for (const target of targetsIn(source, text)) {
      const path = targetFile(root, target);
      if (path === undefined) throw new Error(`${source}: there is no ${target}`);
      if (!statSync(join(root, path)).isDirectory()) show(path);
      else if (!folders.has(path)) {
        folders.set(path, `${path}/index.html`);
        if (SHOWN_FOLDERS.test(`${path}/`)) for (const file of listFiles(root, path)) show(file);
      }
    }
  }
  return { pages, texts, folders };
}

/** What a link of a page leads to, from the root of the repository; undefined for another site and for the page itself. */
export function resolveLink(source: string, href: string): string | undefined {
  const [path = ''] = href.split('#');
  return path === '' || /^[a-z]+:/.test(path) ? undefined : posix.normalize(posix.join(dirname(source), path));
}

/** The file that a path of the repository stands for: a folder stands for its README, where it has one; undefined where there is nothing. */
export function targetFile(root: string, target: string): string | undefined {
  const path = target.replace(/\/$/, '');
  if (!existsSync(join(root, path))) return undefined;
  const readme = posix.join(path, 'README.md');
  return existsSync(join(root, readme)) ? readme : path;
}

/** All files below, sorted, with their paths from the root of the repository. */
export function listFiles(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length))
    .sort();
}

const CODE_PAGE = /^compiler\/diagnostics\/codes\/(LNT\d+)-.*\.md$/;

function chooseOutput(source: string): string {
  if (source === HOME) return 'index.html';
  if (source === REFERENCE) return 'fields/index.html';
  if (source === 'compiler/diagnostics/CODES.md') return 'codes/index.html';
  return source
    .replace(CODE_PAGE, 'codes/$1.html')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html');
}

function readTitle(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
}

function targetsIn(source: string, text: string): readonly string[] {
  const outsideOfCode = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...outsideOfCode.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => resolveLink(source, href) ?? []);
}
