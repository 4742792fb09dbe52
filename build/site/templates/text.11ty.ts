/** A page for each linked file, such as a spec of an example. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlock, escaped } from '../html.ts';
import { SITE } from '../this-site.ts';

interface TextData {
  readonly file: string;
}

export const data: object = {
  pagination: { data: 'lists.texts', size: 1, alias: 'file' },
  eleventyComputed: {
    permalink: ({ file }: TextData) => SITE.sources.texts.get(file),
    title: ({ file }: TextData) => file,
  },
};

export function render({ file }: TextData): string {
  return `<h1>${escaped(file)}</h1>\n${codeBlock(readFileSync(join(SITE.root, file), 'utf8'))}`;
}
