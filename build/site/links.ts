/** The target of a page's link on the site. */
import { relativeTo } from './addresses.ts';
import type { Field } from './fields.ts';
import { REFERENCE, resolveLink, type SourcePage, type Sources, targetFile } from './sources.ts';

/** @returns undefined when the site does not show the target */
export function linkOnSite(
  root: string,
  { pages, texts, folders }: Sources,
  kinds: readonly Field[],
  from: SourcePage,
  href: string,
): string | undefined {
  const target = resolveLink(from.source, href);
  if (target === undefined) return href;
  const file = targetFile(root, target) ?? '';
  const fragment = /#.*$/.exec(href)?.[0] ?? '';
  if (file === REFERENCE && fragment !== '') {
    const kind = kinds.find(({ path }) => `#${path.toLowerCase()}` === fragment);
    return relativeTo(from.output, kind?.output ?? 'fields/index.html');
  }
  const output = pages.get(file)?.output ?? texts.get(file) ?? folders.get(file);
  return output && `${relativeTo(from.output, output)}${fragment}`;
}
