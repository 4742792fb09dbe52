import { escapeHtml } from '../../../../html/escape.ts';
import { type AccessGraph, COLUMNS } from './access-graph.ts';
import { renderEdge } from './edge-path.ts';
import { type Box, breakLines, computeBoxHeight, HEADS, MAX_NODES, renderBox } from './node-box.ts';

/** Width of the picture in pixels: that of a phone of 360 pixels without its margins. */
const WIDTH = 326;
const MARGIN = 4;
/** Width of the gap between the two boxes of a row. Lines that pass a row are drawn in it. */
const GUTTER = 30;
const NODE_WIDTH = (WIDTH - 2 * MARGIN - GUTTER) / 2;
/** Height of the gap between two rows. Lines turn there from a box into the gutter. */
const GAP = 18;
const HEAD = 22;

const LIMITS = { maxCharacters: 17, maxLines: 5 };

/** How many lines fit next to each other in the gutter. Lines of different nodes do not cover each other there. */
const LANES = 5;
const LANE = 5;

interface PlacedBox extends Box {
  /** The row of the box, counted from the top over all kinds of nodes. */
  readonly row: number;
}

/** The same graph as `renderGraphSvg` draws, for narrow windows: the kinds of nodes are below each other, with two boxes in a row. */
export function renderStackedSvg(graph: AccessGraph, label: string): string {
  const places = new Map<string, PlacedBox>();
  const parts: string[] = [];
  let y = 0;
  let row = 0;
  for (const column of COLUMNS) {
    const nodes = graph.nodes.filter(node => node.column === column).slice(0, MAX_NODES);
    if (nodes.length === 0) continue;
    parts.push(`<text class="head" x="${MARGIN}" y="${y + 16}">${HEADS[column]}</text>\n`);
    y += HEAD;
    const labels = nodes.map(node => breakLines(node.label, LIMITS));
    const height = computeBoxHeight(labels);
    for (const [at, node] of nodes.entries()) {
      const x = MARGIN + (at % 2) * (NODE_WIDTH + GUTTER);
      const box = { x, y: y + Math.floor(at / 2) * (height + GAP), width: NODE_WIDTH, height };
      places.set(node.id, { ...box, row: row + Math.floor(at / 2) });
      parts.push(renderBox(node, labels[at] ?? [], box));
    }
    const rows = Math.ceil(nodes.length / 2);
    row += rows;
    y += rows * (height + GAP);
  }
  const lanes = new Map([...places.keys()].map((id, at) => [id, WIDTH / 2 + ((at % LANES) - (LANES - 1) / 2) * LANE]));
  const paths = graph.edges.map(edge => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (from === undefined || to === undefined) return '';
    return renderEdge(edge, formatWay(from, to, lanes.get(edge.from) ?? WIDTH / 2));
  });
  return `<svg class="stacked" role="img" aria-label="${escapeHtml(label)}" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}">
${paths.join('')}${parts.join('')}</svg>
`;
}

/** The way of a line from the bottom of a box to the top of a box below. If there are rows in between, the line passes them in the gutter. */
function formatWay(from: PlacedBox, to: PlacedBox, lane: number): string {
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height];
  const [x2, y2] = [to.x + to.width / 2, to.y];
  if (to.row === from.row + 1) {
    const bend = (y1 + y2) / 2;
    return `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`;
  }
  const [top, bottom] = [y1 + GAP, y2 - GAP];
  return `M${x1} ${y1}C${x1} ${top} ${lane} ${y1} ${lane} ${top}V${bottom}C${lane} ${y2} ${x2} ${bottom} ${x2} ${y2}`;
}
