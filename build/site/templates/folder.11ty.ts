/** A page for each linked folder without a README. */
import { relativeTo } from '../addresses.ts';
import { escaped } from '../html.ts';
import { listFiles } from '../sources.ts';
import { SITE } from '../this-site.ts';

interface FolderData {
  readonly folder: string;
}

const findOutput = (folder: string) => SITE.sources.folders.get(folder) ?? '';

export const data: object = {
  pagination: { data: 'lists.folders', size: 1, alias: 'folder' },
  eleventyComputed: {
    permalink: ({ folder }: FolderData) => findOutput(folder),
    title: ({ folder }: FolderData) => folder,
  },
};

export function render({ folder }: FolderData): string {
  const { pages, texts } = SITE.sources;
  const items = listFiles(SITE.root, folder).map(file => {
    const [page, name] = [pages.get(file), file.slice(folder.length + 1)];
    const output = page?.output ?? texts.get(file);
    const text = page === undefined ? `<code>${escaped(name)}</code>` : escaped(page.title);
    return `<li>${output === undefined ? text : `<a href="${relativeTo(findOutput(folder), output)}">${text}</a>`}</li>\n`;
  });
  return `<h1>${escaped(folder)}</h1>\n<ul>\n${items.join('')}</ul>\n`;
}
