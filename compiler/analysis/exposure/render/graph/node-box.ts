import { escapeHtml } from '../../../../html/escape.ts';
import type { GraphNode } from './access-graph.ts';

/** Height of a line of text in pixels. */
export const LINE = 14;
const PADDING = 14;

/** Maximum nodes in a column; further ones appear only in the tables. */
export const MAX_NODES = 200;

export const HEADS: Readonly<Record<GraphNode['column'], string>> = {
  who: 'Who',
  workflow: 'Workflow',
  tool: 'Tool',
  backend: 'Backend',
  credential: 'Credential',
};

/** How much of a label a box shows; longer text is truncated, and the box's title has all of it. */
export interface LabelLimits {
  /** Maximum number of characters in a line of the label. */
  readonly maxCharacters: number;
  readonly maxLines: number;
}

/** A box, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** @param lines of each label */
export function computeBoxHeight(labels: Iterable<readonly string[]>): number {
  return PADDING + LINE * Math.max(...[...labels].map(lines => lines.length));
}

export function renderBox({ id, detail, isMarked }: GraphNode, lines: readonly string[], box: Box): string {
  const { x, y, width, height } = box;
  const first = y + (height - LINE * lines.length) / 2 + 11;
  const text = lines.map((line, at) => `<tspan x="${x + 8}" y="${first + LINE * at}">${escapeHtml(line)}</tspan>`);
  return `<g data-node="${escapeHtml(id)}"${isMarked ? ' class="warn"' : ''}><title>${escapeHtml(detail)}</title><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/><text>${text.join(' ')}</text></g>\n`;
}

/** Breaks a text between words; a word that is longer than a line is split. */
export function breakLines(text: string, { maxCharacters, maxLines }: LabelLimits): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap(each => splitWord(each, maxCharacters))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if ([...longer].length <= maxCharacters) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  if (lines.length <= maxLines) return lines;
  const last = [...(lines[maxLines - 1] ?? '')].slice(0, maxCharacters - 2).join('');
  return [...lines.slice(0, maxLines - 1), `${last} …`];
}

function splitWord(word: string, length: number): readonly string[] {
  const characters = [...word];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, at) => characters.slice(at * length, (at + 1) * length).join(''));
}
