import { escapeHtml } from '../../../../html/escape.ts';
import type { GraphEdge } from './access-graph.ts';

/** @param way the path in the notation of SVG */
export function renderEdge({ from, to, isMarked, isThrough }: GraphEdge, way: string): string {
  const classes = [isMarked ? 'warn' : '', isThrough ? 'through' : ''].join(' ').trim();
  return `<path class="${classes}" data-from="${escapeHtml(from)}" data-to="${escapeHtml(to)}" d="${way}"/>\n`;
}
