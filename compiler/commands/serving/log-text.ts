import { styleText } from 'node:util';
import { wrapLines } from '#shared/util';
import { escapeUnprintable } from '../../diagnostics/render/printable.ts';

/** Members of a log line with a fixed position in the text. */
const PLACED = new Set(['time', 'level', 'msg', 'pid', 'hostname']);

const STYLES = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/** Minimum columns for text next to the time and the level; on narrower terminals lines are not wrapped here. */
const MIN_WIDTH = 30;

/**
 * A JSON line of the runtime's log as text for people: `14:03:07 warn message backend=github`. Backend text cannot contain control sequences. A
 * line that is not JSON, such as a stack trace of Node, stays as it is.
 *
 * @param columns of the terminal: a longer line is continued below its message. Undefined: it stays one line, for programs that search it
 */
export function logText(line: string, color: boolean, columns?: number): string {
  const entry = parseObject(line);
  if (entry === undefined) return escapeUnprintable(line);
  const { time, level = 'info', msg = '' } = entry;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const members = Object.entries(entry).flatMap(([key, value]) => (PLACED.has(key) ? [] : formatMember(key, value)));
  const style = STYLES[level as keyof typeof STYLES] ?? 'green';
  const shown = [formatClockTime(time), paint(style, String(level).padEnd(5))];
  const message = escapeUnprintable(String(msg));
  const plain = [formatClockTime(time), String(level).padEnd(5), ''].join('  ');
  const [whole, indent] = [[message, ...(members.length === 0 ? [] : [members.join(' ')])], ' '.repeat(plain.length)];
  const width = (columns ?? 0) - plain.length;
  if (width < MIN_WIDTH || whole.join('  ').length <= width)
    return [...shown, message, ...whole.slice(1).map(text => paint('dim', text))].join('  ');
  const [first = '', ...more] = [
    ...wrapLines(message, width),
    ...packLines(members, width).map(text => paint('dim', text)),
  ];
  return [[...shown, first].join('  '), ...more.map(text => `${indent}${text}`)].join('\n');
}

/** Puts as many members on a line as fit; a member that does not fit is continued with a small indentation. */
function packLines(members: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const member of members) {
    const last = lines.at(-1);
    if (isOpen && last !== undefined && last.length + 1 + member.length <= width) {
      lines[lines.length - 1] = `${last} ${member}`;
      continue;
    }
    const [first = '', ...rest] = wrapLines(member, width - 2);
    lines.push(first, ...rest.map(text => `  ${text}`));
    isOpen = rest.length === 0;
  }
  return lines;
}

function parseObject(line: string): { readonly [key: string]: unknown } | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The local time of day. */
function formatClockTime(time: unknown): string {
  const at = new Date(typeof time === 'string' || typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8);
}

/** A member as `key=value`. Of an error only the message, because the stack is long and the JSON log has it. */
function formatMember(key: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const message = key === 'err' ? (value as { message?: unknown }).message : undefined;
  const text = typeof message === 'string' ? message : typeof value === 'string' ? value : formatShortJson(value);
  return [
    `${key}=${escapeUnprintable(/[\s"=]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text)}`,
  ];
}

/** Maximum number of displayed characters of a list or an object; lines for programs have all of it. */
const MAX_JSON = 120;

function formatShortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_JSON ? `${text.slice(0, MAX_JSON)}…` : text;
}
