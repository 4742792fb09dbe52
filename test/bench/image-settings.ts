/** How an image starts Node: memory depends on it. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const IMAGES = resolve(import.meta.dirname, '../../images');

export interface ImageSettings {
  readonly nodeOptions: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** Of a file with several images, what the last one says: they start alike. */
export async function readImageSettings(image: string): Promise<ImageSettings> {
  const text = await readFile(join(IMAGES, image, 'Containerfile'), 'utf8');
  const entry = JSON.parse([...text.matchAll(/^ENTRYPOINT (.*)$/gm)].at(-1)?.[1] ?? '[]') as readonly string[];
  const variables = [...text.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  return { nodeOptions: entry.filter(argument => argument.startsWith('--')), env: Object.fromEntries(variables) };
}
