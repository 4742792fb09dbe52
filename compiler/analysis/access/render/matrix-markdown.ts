import { escapeMarkdown } from '../../../diagnostics/render/markdown.ts';
import type { MatrixRenderer } from './matrix.ts';
import { collectNotes, formatCell, formatHeading, groupByItemType } from './matrix-words.ts';

/** Markdown for reviews: names from specs and the catalog are escaped, so that they open no tag, link or mention. */
export const renderMatrixMarkdown: MatrixRenderer = (personas, findings) =>
  findings
    .map(found => {
      const tables = groupByItemType(found.matrix).map(({ title, items }) => {
        const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
        const body = items.map(item =>
          row([escapeMarkdown(item.name), ...personas.map(persona => formatCell(item, persona))]),
        );
        const head = row(['Name', ...personas.map(escapeMarkdown)]);
        return `\n#### ${title}\n\n${head}${row(['---', ...personas.map(() => '---')])}${body.join('')}`;
      });
      const notes = collectNotes(found).map(note => `- ${escapeMarkdown(note)}\n`);
      const below = notes.length === 0 ? '' : `\n${notes.join('')}`;
      return `### ${escapeMarkdown(formatHeading(found))}\n${tables.join('')}${below}`;
    })
    .join('\n');
