/** Reads with which options the image starts Node, because memory depends on them. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface ImageSettings {
  readonly nodeOptions: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** Settings of the last image in a file with several; they all start in the same way. */
export async function readImageSettings(program: 'controller' | 'runtime'): Promise<ImageSettings> {
  const text = await readFile(join(ROOT, program, 'Containerfile'), 'utf8');
  const entry = JSON.parse([...text.matchAll(/^ENTRYPOINT (.*)$/gm)].at(-1)?.[1] ?? '[]') as readonly string[];
  const variables = [...text.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  return { nodeOptions: entry.filter(argument => argument.startsWith('--')), env: Object.fromEntries(variables) };
}
