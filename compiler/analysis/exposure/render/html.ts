import { renderHtmlDocument } from '../../../html/document.ts';
import { escapeHtml } from '../../../html/escape.ts';
import { renderHtmlTable } from '../../../html/table.ts';
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
  const tables = sections.map((section, index) => renderHtmlTable({ ...section, id: `table-${at}-${index}` }));
  return `<article aria-labelledby="page-${at}">
<h2 id="page-${at}">${escapeHtml(title)}</h2>
<dl>
${list.join('')}</dl>
${graph}${tables.join('')}</article>
`;
}

/** The graph with its frame; nothing for an empty graph, since an empty frame looks broken. */
function formatGraph(page: Page, graph: AccessGraph): string {
  if (graph.nodes.length === 0) return '';
  const label = formatLabel(page);
  return `<h3>Ways</h3>
<div class="graph">
${renderGraphSvg(graph, label)}${renderStackedSvg(graph, label)}</div>
<p class="note">Orange box: a tool that may destroy data. Orange line: a path that opens more than a call of the tool's name does, or that lets everyone call a tool that may destroy data. Dashed: through a step of a workflow. The tables below have every text in full.</p>
`;
}
