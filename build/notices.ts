import { readdir, readFile } from 'node:fs/promises';
import type { Package } from './contents.ts';

/** The licence texts of all bundled packages, as their terms require. */
export async function collectNotices(packages: readonly Pick<Package, 'folder' | 'manifest'>[]): Promise<string> {
  const texts = packages.map(async ({ folder, manifest: { name, version, license } }) => {
    const file = (await readdir(folder)).find(entry => /^licen[cs]e(\.\w+)?$/i.test(entry));
    const text = file === undefined ? '' : await readFile(`${folder}/${file}`, 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return `The files next to this one contain the following packages.\n\n${(await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)}`;
}
