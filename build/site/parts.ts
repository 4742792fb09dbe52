/** The files that all pages load. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ICON, SCRIPT, SEARCHED, STYLE } from './document.ts';
import { searchDocuments } from './search-documents.ts';
import type { Site } from './site.ts';
import { SITE_STYLE } from './style.ts';

const BROWSER = join(import.meta.dirname, 'browser');

/** The logo, a lintel: a beam on two posts. */
const DRAWN =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#4b86c2" d="M1 2h14v4H1zM2 7h3v7H2zM11 7h3v7h-3z"/></svg>\n';

export async function writeParts(site: Site, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, STYLE), SITE_STYLE);
  await writeFile(join(folder, ICON), DRAWN);
  await bundle("import './site.mjs';", join(folder, SCRIPT));
  const documents = JSON.stringify(searchDocuments(site));
  await bundle(`import { start } from './search.mjs'; start(${documents});`, join(folder, SEARCHED));
}

async function bundle(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: BROWSER },
    outfile,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
  });
}
