import { escapeHtml } from '../../../../html/escape.ts';
import { type AccessGraph, COLUMNS, type GraphNode } from './access-graph.ts';
import { renderEdge } from './edge-path.ts';
import { breakLines, computeBoxHeight, HEADS, MAX_NODES, renderBox } from './node-box.ts';

/** Width of a box in pixels. */
const NODE_WIDTH = 204;
const GAP = { x: 50, y: 10 };
const HEAD = 28;
const MARGIN = 8;

const LIMITS = { maxCharacters: 25, maxLines: 4 };

/**
 * A picture of the tables' content, with a column for each kind of node. The tables have everything that it shows. The style hides it where the
 * window is too narrow for its columns.
 */
export function renderGraphSvg(graph: AccessGraph, label: string): string {
  const columns = COLUMNS.map(column => graph.nodes.filter(node => node.column === column).slice(0, MAX_NODES)).filter(
    nodes => nodes.length > 0,
  );
  const rows = Math.max(...columns.map(({ length }) => length));
  const labels = new Map(columns.flat().map(({ id, label }) => [id, breakLines(label, LIMITS)]));
  const nodeHeight = computeBoxHeight(labels.values());
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [at, nodes] of columns.entries()) {
    const step = (rows * (nodeHeight + GAP.y)) / nodes.length;
    for (const [row, { id }] of nodes.entries()) {
      const x = MARGIN + at * (NODE_WIDTH + GAP.x);
      places.set(id, { x, y: Math.round(HEAD + row * step + (step - nodeHeight) / 2) });
    }
  }
  const width = 2 * MARGIN + columns.length * (NODE_WIDTH + GAP.x) - GAP.x;
  const height = HEAD + rows * (nodeHeight + GAP.y) + MARGIN;
  const heads = columns.map(([first], at) => {
    const x = MARGIN + at * (NODE_WIDTH + GAP.x);
    return `<text class="head" x="${x}" y="18">${HEADS[(first as GraphNode).column]}</text>\n`;
  });
  const paths = graph.edges.map(edge => {
    const [a, b] = [places.get(edge.from), places.get(edge.to)];
    if (a === undefined || b === undefined) return '';
    const [x1, y1, x2, y2] = [a.x + NODE_WIDTH, a.y + nodeHeight / 2, b.x, b.y + nodeHeight / 2];
    const bend = (x1 + x2) / 2;
    return renderEdge(edge, `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`);
  });
  const boxes = columns.flat().map(node => {
    const place = places.get(node.id) ?? { x: 0, y: 0 };
    return renderBox(node, labels.get(node.id) ?? [], { ...place, width: NODE_WIDTH, height: nodeHeight });
  });
  return `<svg class="columns-${columns.length}" role="img" aria-label="${escapeHtml(label)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${heads.join('')}${paths.join('')}${boxes.join('')}</svg>
`;
}
