/** The sources of the site: the pages that are reachable from the README, and the files that they link to. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A Markdown file that becomes a page. */
export interface SourcePage {
  /** The path of the Markdown file, relative to the root of the repository, such as `docs/access.md`. */
  readonly source: string;
  /** The path of the page, relative to the root of the site, such as `docs/access.html`. */
  readonly output: string;
  readonly title: string;
}

export interface Sources {
  /** Pages, by the path of their source. */
  readonly pages: ReadonlyMap<string, SourcePage>;
  /** Other linked files, with the pages that show them. */
  readonly texts: ReadonlyMap<string, string>;
  /** Linked folders without a README, with the pages that list them. */
  readonly folders: ReadonlyMap<string, string>;
}

const HOME = 'README.md';

/** The site has no page for this file: one page for each kind and each field replaces it. */
export const REFERENCE = 'schemas/generated/REFERENCE.md';

/** Folders of which the site shows every file when a page links to them. For other folders it shows only the list of files. */
const SHOWN_FOLDERS = /^(docs|examples|controller\/install)\//;

/**
 * Reads all pages.
 * @throws Error for a broken link
 */
export function readSources(root: string): Sources {
  const pages = new Map<string, SourcePage>();
  const texts = new Map<string, string>();
  const folders = new Map<string, string>();
  const remaining = [HOME];
  const show = (file: string) => {
    if (file.endsWith('.md')) remaining.push(file);
    else texts.set(file, `${file}.html`);
  };
  for (let source = remaining.pop(); source !== undefined; source = remaining.pop()) {
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

/** The target of a link, relative to the root of the repository; undefined for other sites and for links within the page. */
export function resolveLink(source: string, href: string): string | undefined {
  const [path = ''] = href.split('#');
  return path === '' || /^[a-z]+:/.test(path) ? undefined : posix.normalize(posix.join(dirname(source), path));
}

/** The file for a path of the repository: a folder stands for its README, if it has one; undefined when nothing exists. */
export function targetFile(root: string, target: string): string | undefined {
  const path = target.replace(/\/$/, '');
  if (!existsSync(join(root, path))) return undefined;
  const readme = posix.join(path, 'README.md');
  return existsSync(join(root, readme)) ? readme : path;
}

/** All files below a folder, sorted, relative to the root of the repository. */
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
