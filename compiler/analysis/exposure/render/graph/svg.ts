import { escapeHtml } from '../../../../html/escape.ts';
import { type AccessGraph, COLUMNS, type GraphNode } from './access-graph.ts';

/** Pixels. */
const NODE_WIDTH = 204;
const LINE = 14;
const PADDING = 14;
const GAP = { x: 50, y: 10 };
const HEAD = 28;
const MARGIN = 8;

/** Maximum characters in a line of a node, and maximum lines of a node; longer text is truncated, and the node's title has all of it. */
const MAX_CHARACTERS = 25;
const MAX_LINES = 4;

/** Maximum nodes in a column; further ones appear only in the tables. */
const MAX_NODES = 200;

const HEADS: Readonly<Record<GraphNode['column'], string>> = {
  who: 'Who',
  workflow: 'Workflow',
  tool: 'Tool',
  backend: 'Backend',
  credential: 'Credential',
};

/** A picture of the tables' content. The tables have everything that it shows. */
export function renderGraphSvg(graph: AccessGraph, label: string): string {
  const columns = COLUMNS.map(column => graph.nodes.filter(node => node.column === column).slice(0, MAX_NODES)).filter(
    nodes => nodes.length > 0,
  );
  const rows = Math.max(...columns.map(({ length }) => length));
  const labels = new Map(columns.flat().map(({ id, label }) => [id, breakLines(label)]));
  const nodeHeight = PADDING + LINE * Math.max(...[...labels.values()].map(lines => lines.length));
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
  const paths = graph.edges.map(({ from, to, isMarked, isThrough }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return '';
    const [x1, y1, x2, y2] = [a.x + NODE_WIDTH, a.y + nodeHeight / 2, b.x, b.y + nodeHeight / 2];
    const bend = (x1 + x2) / 2;
    const classes = [isMarked ? 'warn' : '', isThrough ? 'through' : ''].join(' ').trim();
    const link = `data-from="${escapeHtml(from)}" data-to="${escapeHtml(to)}"`;
    return `<path class="${classes}" ${link} d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}"/>\n`;
  });
  const boxes = graph.nodes.map(({ id, detail, isMarked }) => {
    const place = places.get(id);
    if (place === undefined) return '';
    const { x, y } = place;
    const lines = labels.get(id) ?? [];
    const first = y + (nodeHeight - LINE * lines.length) / 2 + 11;
    const text = lines.map((line, at) => `<tspan x="${x + 8}" y="${first + LINE * at}">${escapeHtml(line)}</tspan>`);
    return `<g data-node="${escapeHtml(id)}"${isMarked ? ' class="warn"' : ''}><title>${escapeHtml(detail)}</title><rect x="${x}" y="${y}" width="${NODE_WIDTH}" height="${nodeHeight}" rx="4"/><text>${text.join(' ')}</text></g>\n`;
  });
  return `<svg role="img" aria-label="${escapeHtml(label)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${heads.join('')}${paths.join('')}${boxes.join('')}</svg>
`;
}

/** Breaks between words; a word that is longer than a line is split. */
function breakLines(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap(splitWord)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if ([...longer].length <= MAX_CHARACTERS) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  if (lines.length <= MAX_LINES) return lines;
  const last = [...(lines[MAX_LINES - 1] ?? '')].slice(0, MAX_CHARACTERS - 2).join('');
  return [...lines.slice(0, MAX_LINES - 1), `${last} …`];
}

function splitWord(word: string): readonly string[] {
  const characters = [...word];
  const count = Math.ceil(characters.length / MAX_CHARACTERS);
  return Array.from({ length: count }, (_, at) =>
    characters.slice(at * MAX_CHARACTERS, (at + 1) * MAX_CHARACTERS).join(''),
  );
}
