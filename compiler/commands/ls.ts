/** `lintel ls`: lists what a running server offers to the caller of a token. */
import type { CatalogItem } from '#schemas';
import { complaint, missingItems, runningServer, withoutToken } from '../client/index.ts';
import { jsonText } from '../diagnostics/render/json-text.ts';
import { printable } from '../diagnostics/render/printable.ts';
import { listBackends } from './list-backends.ts';
import { terminalColumns } from './terminal-columns.ts';

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
  const server = runningServer(url, tokenFile, timeoutMs);
  const logLine = (text: string) => void process.stderr.write(`lintel: ${printable(withoutToken(text, server))}\n`);
  const [answer] = await listBackends({ backends: [server.question] });
  const missing = answer?.unavailable && missingItems(server.displayUrl, answer.unavailable);
  if (answer === undefined || !answer.ok) {
    logLine(complaint(server, answer?.message ?? 'gave no answer'));
    if (missing !== undefined) logLine(missing);
    return NO_ANSWER;
  }
  const { key: _, ok, ...offering } = answer;
  const isEmpty = LISTS.every(list => offering[list].length === 0);
  if (format === 'json') process.stdout.write(jsonText({ formatVersion: 1, ...offering }));
  else if (!isEmpty) process.stdout.write(formatOffering(offering, terminalColumns(process.stdout)));
  else if (missing === undefined) process.stdout.write('nothing is offered to this caller\n');
  if (missing === undefined) return 0;
  logLine(missing);
  return isEmpty ? NO_ANSWER : 0;
}

const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

type Offering = { readonly [list in (typeof LISTS)[number]]: readonly CatalogItem[] };

/** @param columns width of the terminal; undefined for a file or a pipe */
function formatOffering(
  { tools, prompts, resources, resourceTemplates }: Offering,
  columns: number | undefined,
): string {
  const sections = [
    section('Tools', tools, 'name', columns),
    section('Prompts', prompts, 'name', columns),
    section('Resources', resources, 'uri', columns),
    section('Resource templates', resourceTemplates, 'uriTemplate', columns),
  ].filter(lines => lines.length > 0);
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function section(
  title: string,
  items: readonly CatalogItem[],
  key: string,
  columns: number | undefined,
): readonly string[] {
  if (items.length === 0) return [];
  const names = items.map(item => printable(String(item[key] ?? '')));
  const width = Math.max(...names.map(name => name.length));
  const left = (columns ?? Number.POSITIVE_INFINITY) - width - 4;
  // Where next to nothing would be left of it, a description has a line of its own.
  const isBelow = left < LEAST_SUMMARY;
  const most = Math.min(MAX_SUMMARY, isBelow ? Math.max(LEAST_SUMMARY, (columns ?? 0) - 4) : left);
  const rows = items.flatMap((item, at) => {
    const [name = '', text] = [names[at], summary(item, most)];
    if (isBelow) return [`  ${name}`, ...(text === '' ? [] : [`    ${text}`])];
    return [`  ${name.padEnd(width)}  ${text}`.trimEnd()];
  });
  return [`${title}: ${items.length}`, ...rows];
}

/** Maximum length of a description in characters: enough to tell items apart on one line. */
const MAX_SUMMARY = 100;

const LEAST_SUMMARY = 20;

function summary({ title, description }: CatalogItem, most: number): string {
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
