import { escapeHtml } from '../../../../html/escape.ts';
import { type AccessGraph, COLUMNS, type GraphNode } from './access-graph.ts';

/** Pixels. */
const NODE = { width: 204, height: 28 };
const GAP = { x: 50, y: 10 };
const HEAD = 28;
const MARGIN = 8;

/** Characters that fit into a node; the whole text is its title. */
const MAX_CHARACTERS = 27;

/** Nodes of a column at most; those beyond are in the tables alone. */
const MAX_NODES = 200;

const HEADS: Readonly<Record<GraphNode['column'], string>> = {
  who: 'Who',
  workflow: 'Workflow',
  tool: 'Tool',
  backend: 'Backend',
  credential: 'Credential',
};

/** A picture of what the tables say, which people who see no picture lose nothing by. */
export function graphSvg(graph: AccessGraph, label: string): string {
  const columns = COLUMNS.map(column => graph.nodes.filter(node => node.column === column).slice(0, MAX_NODES)).filter(
    nodes => nodes.length > 0,
  );
  const rows = Math.max(...columns.map(({ length }) => length));
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [at, nodes] of columns.entries()) {
    const step = (rows * (NODE.height + GAP.y)) / nodes.length;
    for (const [row, { id }] of nodes.entries()) {
      const x = MARGIN + at * (NODE.width + GAP.x);
      places.set(id, { x, y: Math.round(HEAD + row * step + (step - NODE.height) / 2) });
    }
  }
  const width = 2 * MARGIN + columns.length * (NODE.width + GAP.x) - GAP.x;
  const height = HEAD + rows * (NODE.height + GAP.y) + MARGIN;
  const heads = columns.map(([first], at) => {
    const x = MARGIN + at * (NODE.width + GAP.x);
    return `<text class="head" x="${x}" y="18">${HEADS[(first as GraphNode).column]}</text>\n`;
  });
  const paths = graph.edges.map(({ from, to, isMarked, isThrough }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return '';
    const [x1, y1, x2, y2] = [a.x + NODE.width, a.y + NODE.height / 2, b.x, b.y + NODE.height / 2];
    const bend = (x1 + x2) / 2;
    const classes = [isMarked ? 'warn' : '', isThrough ? 'through' : ''].join(' ').trim();
    const link = `data-from="${escapeHtml(from)}" data-to="${escapeHtml(to)}"`;
    return `<path class="${classes}" ${link} d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}"/>\n`;
  });
  const boxes = graph.nodes.map(({ id, label: text, detail, isMarked }) => {
    const place = places.get(id);
    if (place === undefined) return '';
    const { x, y } = place;
    return `<g data-node="${escapeHtml(id)}"${isMarked ? ' class="warn"' : ''}><title>${escapeHtml(detail)}</title><rect x="${x}" y="${y}" width="${NODE.width}" height="${NODE.height}" rx="4"/><text x="${x + 8}" y="${y + 18}">${escapeHtml(shortened(text))}</text></g>\n`;
  });
  return `<svg role="img" aria-label="${escapeHtml(label)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${heads.join('')}${paths.join('')}${boxes.join('')}</svg>
`;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_CHARACTERS ? text : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
