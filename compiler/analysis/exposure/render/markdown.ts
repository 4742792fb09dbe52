import { escapeMarkdown } from '../../../diagnostics/render/markdown.ts';
import { buildPages, type Page } from './page.ts';
import type { ExposureRenderer } from './rendering.ts';
import type { Section } from './section.ts';
import { formatSummary } from './summary.ts';

/** Markdown for reviews: text from specs and the catalog is escaped, so that it opens no tag, link or mention. */
export const renderMarkdown: ExposureRenderer = report =>
  [...buildPages(report).map(formatPage), `${escapeMarkdown(formatSummary(report))}\n`].join('\n');

function formatPage({ title, facts, sections }: Page): string {
  const list = facts.map(({ name, text }) => `- **${name}**: ${escapeMarkdown(text)}\n`);
  return `### ${escapeMarkdown(title)}\n\n${list.join('')}${sections.map(renderSection).join('')}`;
}

function renderSection({ title, head, rows, note }: Section): string {
  const used = head.map((_, at) => at).filter(at => rows.some(row => row[at]?.text !== ''));
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const names = used.map(at => capitalize(head[at]?.name ?? ''));
  const rule = used.map(at => (head[at]?.align === 'right' ? '--:' : '---'));
  const body = rows.map(cells => row(used.map(at => escapeMarkdown(cells[at]?.text ?? ''))));
  const below = note === undefined ? '' : `\n${escapeMarkdown(note)}\n`;
  return `\n#### ${escapeMarkdown(title)}\n\n${row(names)}${row(rule)}${body.join('')}${below}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
