/** The Eleventy configuration that builds the site from the repository. */
import { globSync } from 'node:fs';
import type { Configuration } from '@11ty/eleventy';
import { adaptMarkdown } from './markdown.ts';
import { ROOT, renderedPages } from './site.ts';
import { SITE } from './this-site.ts';

interface PageData {
  readonly page: { readonly inputPath: string };
  readonly permalink?: unknown;
}

export default function configure(config: Configuration): object {
  config.setTemplateFormats(['md', '11ty.ts']);
  config.addExtension(['11ty.ts'], { key: '11ty.js' });
  const rendered = new Set(renderedPages(SITE).map(({ source }) => source));
  for (const path of globSync('**/*.md', { cwd: ROOT, exclude: name => /(^|\/)(node_modules|\.git)$/.test(name) }))
    if (!rendered.has(path)) config.ignores.add(path);
  config.addGlobalData('layout', 'page.11ty.ts');
  config.addGlobalData('eleventyComputed', {
    permalink: ({ page, permalink }: PageData) => SITE.pageAt(page.inputPath)?.output ?? permalink,
  });
  config.addGlobalData('lists', {
    fields: SITE.fields.map(({ output }) => output),
    texts: [...SITE.sources.texts.keys()],
    folders: [...SITE.sources.folders.keys()],
  });
  config.amendLibrary('md', library => adaptMarkdown(library, SITE));
  return { dir: { input: '.', includes: 'build/site/includes' }, markdownTemplateEngine: false };
}
