import { styleText } from 'node:util';
import { printable } from '../../diagnostics/render/printable.ts';

/** Members of a log line that have a place of their own in its text. */
const PLACED = new Set(['time', 'level', 'msg', 'pid', 'hostname']);

const STYLES = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/**
 * A JSON line of the runtime's log as a person reads it: `14:03:07 warn  message  backend=github`. Text of a backend cannot move the cursor. A
 * line that is not JSON, such as a stack trace of Node, stays as it is.
 */
export function logText(line: string, color: boolean): string {
  const entry = parseObject(line);
  if (entry === undefined) return printable(line);
  const { time, level = 'info', msg = '' } = entry;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const members = Object.entries(entry).flatMap(([key, value]) => (PLACED.has(key) ? [] : memberText(key, value)));
  const style = STYLES[level as keyof typeof STYLES] ?? 'green';
  const shown = [clockTime(time), paint(style, String(level).padEnd(5)), printable(String(msg))];
  return [...shown, ...(members.length === 0 ? [] : [paint('dim', members.join(' '))])].join('  ');
}

function parseObject(line: string): { readonly [key: string]: unknown } | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The local time of day, as people read it on the same machine. */
function clockTime(time: unknown): string {
  const at = new Date(typeof time === 'string' || typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8);
}

/** `key=value`; of an error its message, since a stack fills the screen and is in the JSON. */
function memberText(key: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const message = key === 'err' ? (value as { message?: unknown }).message : undefined;
  const text = typeof message === 'string' ? message : typeof value === 'string' ? value : JSON.stringify(value);
  return [`${key}=${printable(/[\s"=]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text)}`];
}
