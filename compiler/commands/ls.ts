/** `lintel ls`: lists what a running server offers to the caller of a token. */
import type { CatalogItem } from '#schemas';
import { formatComplaint, formatMissingItems, toRunningServer, withoutToken } from '../client/index.ts';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { listBackends } from './list-backends.ts';
import { findTerminalColumns } from './terminal-columns.ts';

export const LS_FORMATS = ['text', 'json'] as const;

export interface ServerOptions {
  readonly tokenFile?: string;
  /** Timeout of the whole command; milliseconds. */
  readonly timeoutMs: number;
  readonly format: (typeof LS_FORMATS)[number];
}

const NO_ANSWER = 3;

/** Returns the exit code: 0, or 3 when the server does not answer, or is a gateway without items because its backends are unavailable. */
export async function ls(url: string, { tokenFile, timeoutMs, format }: ServerOptions): Promise<number> {
  const server = toRunningServer(url, tokenFile, timeoutMs);
  const logLine = (text: string) =>
    void process.stderr.write(`lintel: ${escapeUnprintable(withoutToken(text, server))}\n`);
  const [answer] = await listBackends({ backends: [server.question] });
  const missing = answer?.unavailable && formatMissingItems(server.displayUrl, answer.unavailable);
  if (answer === undefined || !answer.ok) {
    logLine(formatComplaint(server, answer?.message ?? 'gave no answer', answer?.challenge));
    if (missing !== undefined) logLine(missing);
    return NO_ANSWER;
  }
  const { key: _, ok, ...offering } = answer;
  const isEmpty = LISTS.every(list => offering[list].length === 0);
  if (format === 'json') process.stdout.write(formatJson({ formatVersion: 1, ...offering }));
  else if (!isEmpty) process.stdout.write(formatOffering(offering, findTerminalColumns(process.stdout)));
  else if (missing === undefined) process.stdout.write('nothing is offered to this caller\n');
  if (missing === undefined) return 0;
  logLine(missing);
  return isEmpty ? NO_ANSWER : 0;
}

const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

type OfferedLists = { readonly [list in (typeof LISTS)[number]]: readonly CatalogItem[] };

/** @param columns width of the terminal; undefined for a file or a pipe */
function formatOffering(
  { tools, prompts, resources, resourceTemplates }: OfferedLists,
  columns: number | undefined,
): string {
  const sections = [
    formatItems('Tools', tools, 'name', columns),
    formatItems('Prompts', prompts, 'name', columns),
    formatItems('Resources', resources, 'uri', columns),
    formatItems('Resource templates', resourceTemplates, 'uriTemplate', columns),
  ].filter(lines => lines.length > 0);
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function formatItems(
  title: string,
  items: readonly CatalogItem[],
  key: string,
  columns: number | undefined,
): readonly string[] {
  if (items.length === 0) return [];
  const names = items.map(item => escapeUnprintable(String(item[key] ?? '')));
  const width = Math.max(...names.map(name => name.length));
  const remaining = (columns ?? Number.POSITIVE_INFINITY) - width - 4;
  // If almost no width would be left for it, a description gets a line of its own.
  const isBelow = remaining < LEAST_SUMMARY;
  const most = Math.min(MAX_SUMMARY, isBelow ? Math.max(LEAST_SUMMARY, (columns ?? 0) - 4) : remaining);
  const rows = items.flatMap((item, at) => {
    const [name = '', text] = [names[at], summarizeItem(item, most)];
    if (isBelow) return [`  ${name}`, ...(text === '' ? [] : [`    ${text}`])];
    return [`  ${name.padEnd(width)}  ${text}`.trimEnd()];
  });
  return [`${title}: ${items.length}`, ...rows];
}

/** Maximum length of a description in characters: enough to tell items apart on one line. */
const MAX_SUMMARY = 100;

const LEAST_SUMMARY = 20;

function summarizeItem({ title, description }: CatalogItem, most: number): string {
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const line = escapeUnprintable(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
