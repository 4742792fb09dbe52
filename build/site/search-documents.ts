/** The index of the site's search. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODES, type DiagnosticCode } from '../../compiler/diagnostics/codes.ts';
import { getCodePage } from '../../compiler/explain/site-pages.ts';
import { headingId } from './headings.ts';
import { renderedPages, type Site } from './site.ts';

export interface SearchDocument {
  /** The address of the page or section, relative to the root of the site. */
  readonly address: string;
  readonly title: string;
  /** For a section, the title of its page; for a page with an ambiguous title, its type. */
  readonly page: string;
  readonly text: string;
  /** Relative weight in the ranking. */
  readonly weight: number;
}

/** Pages that readers need first rank first. */
const WEIGHTS: readonly (readonly [outputs: RegExp, weight: number])[] = [
  [/^(index|docs\/[^/]+)\.html$/, 2],
  [/^(test|[^/]+\/adr)\//, 0.5],
];

/** Types of pages, which distinguish pages with the same title. */
const SORTS: readonly (readonly [outputs: RegExp, sort: string])[] = [
  [/^examples\//, 'Example'],
  [/^docs\/runbooks\//, 'Runbook of an alert'],
  [/\/adr\//, 'Decision'],
  [/^[^/]+\/(.*\/)?index\.html$/, 'Inside'],
];

function findSort(output: string): string {
  return SORTS.find(([outputs]) => outputs.test(output))?.[1] ?? '';
}

export function searchDocuments(site: Site): readonly SearchDocument[] {
  const pages = renderedPages(site).filter(({ source }) => !source.includes('/diagnostics/'));
  return [
    ...pages.flatMap(({ source, output, title }) =>
      splitSections(readFileSync(join(site.root, source), 'utf8')).map(section => ({
        address: section.id === undefined ? output : `${output}#${section.id}`,
        title: section.title ?? title,
        page: section.title === undefined ? findSort(output) : title,
        text: section.text,
        weight: WEIGHTS.find(([outputs]) => outputs.test(output))?.[1] ?? 1,
      })),
    ),
    ...Object.entries(CODES).map(([code, { name, meaning, fix }]) => ({
      address: getCodePage(code as DiagnosticCode),
      title: `${code} ${name}`,
      page: '',
      text: `${meaning} ${fix}.`.replaceAll('`', ''),
      weight: 1,
    })),
    ...site.fields.map(({ output, path, schema }) => ({
      address: output,
      title: path,
      page: '',
      text: (schema.description ?? '').replaceAll('`', ''),
      weight: 0.8,
    })),
  ];
}

interface Section {
  /** The id of the section's heading; undefined for text directly below the title of the page. */
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly text: string;
}

/** Splits a page at its headings. Code is part of the text because readers search for commands. */
function splitSections(text: string): readonly Section[] {
  const taken = new Set<string>();
  const sections: { id: string | undefined; title: string | undefined; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, heading] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || [];
    if (heading === undefined || marks === undefined) {
      if (!line.startsWith('```')) sections.at(-1)?.lines.push(line);
      continue;
    }
    const title = plain(heading);
    const id = headingId(title, taken);
    const isTitle = marks.length === 1;
    sections.push({ id: isTitle ? undefined : id, title: isTitle ? undefined : title, lines: [] });
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: plain(lines.join(' ')) }));
}

/** Text without the markup of links, code and tables. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`|*]|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
