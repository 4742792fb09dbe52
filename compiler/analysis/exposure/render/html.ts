import { renderHtmlDocument } from '../../../html/document.ts';
import { escapeHtml } from '../../../html/escape.ts';
import { type HtmlCell, renderHtmlTable } from '../../../html/table.ts';
import { type AccessGraph, buildAccessGraph } from './graph/access-graph.ts';
import { renderStackedSvg } from './graph/stacked-svg.ts';
import { renderGraphSvg } from './graph/svg.ts';
import { buildPages, type Page } from './page.ts';
import type { ExposureRenderer } from './rendering.ts';
import { formatSummary } from './summary.ts';

/** An HTML page: a graph of each gateway, and all tables, with a search. */
export const renderHtml: ExposureRenderer = report =>
  renderHtmlDocument({
    title: 'Who can reach what',
    summary: formatSummary(report),
    // Gateways come first.
    content: buildPages(report)
      .map((page, at) => {
        const exposure = report.gateways[at];
        return formatArticle(page, at, exposure === undefined ? '' : formatGraph(page, buildAccessGraph(exposure)));
      })
      .join(''),
  });

function formatLabel({ title }: Page): string {
  return `Graph of ${title}: who reaches which tool, by which backend and with which credential. The tables say the same.`;
}

function formatArticle({ title, facts, sections }: Page, at: number, graph: string): string {
  const list = facts.map(({ name, text }) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>\n`);
  const tables = sections.map((section, index) =>
    renderHtmlTable({ ...section, rows: section.rows.map(withoutDashes), id: `table-${at}-${index}` }),
  );
  return `<article aria-labelledby="page-${at}">
<h2 id="page-${at}">${escapeHtml(title)}</h2>
<dl>
${list.join('')}</dl>
${graph}${tables.join('')}</article>
`;
}

/** In a terminal a dash stands for nothing; on a page an empty cell does, and a phone then shows no line for it. */
function withoutDashes(row: readonly HtmlCell[]): readonly HtmlCell[] {
  return row.map(cell => (cell.text === '-' ? { ...cell, text: '' } : cell));
}

/** The graph with its frame; nothing for an empty graph, since an empty frame looks broken. */
function formatGraph(page: Page, graph: AccessGraph): string {
  if (graph.nodes.length === 0) return '';
  const label = formatLabel(page);
  return `<h3>From callers to credentials</h3>
<div class="graph">
${renderGraphSvg(graph, label)}${renderStackedSvg(graph, label)}</div>
<p class="note">${escapeHtml(explainMarks(graph))}</p>
`;
}

/** What the marks mean that this graph has. */
function explainMarks({ nodes, edges }: AccessGraph): string {
  return [
    nodes.some(({ isMarked }) => isMarked) && 'Orange box: a tool that may destroy data.',
    edges.some(({ isMarked }) => isMarked) &&
      "Orange line: a path that opens more than a call of the tool's name does, or that lets everyone call a tool that may destroy data.",
    edges.some(({ isThrough }) => isThrough) && 'Dashed: through a step of a workflow.',
    'The tables below have every text in full.',
  ]
    .filter(sentence => sentence !== false)
    .join(' ');
}
