/** Copies the specs for a run in which a backend has another URL than the specs name. */
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Copies the specs to a temporary folder and replaces URLs in them. The path of the JSON Schema becomes absolute, so that editors find it.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, string>} urls URL in the specs to URL to use instead
 * @returns {Promise<string>} the folder of the copy
 */
export async function copySpecs(folder, urls) {
  const schemas = path.resolve(folder, '..', '..', '..', 'schemas');
  const replacements = [...urls, ['../../../schemas', schemas]];
  const copy = await mkdtemp(path.join(tmpdir(), 'lintel-quickstart-'));
  await cp(folder, copy, { recursive: true });
  for (const name of await readdir(copy)) {
    const file = path.join(copy, name);
    let text = await readFile(file, 'utf8');
    for (const [written, actual] of replacements) text = text.replaceAll(written, actual);
    await writeFile(file, text);
  }
  return copy;
}
