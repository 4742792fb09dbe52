import { styleText } from 'node:util';
import { INTERNAL_PORT, PAGE_PATH } from '#schemas';
import { wrapLines } from '#shared/util';
import { getOwnCommand } from '../../own-command.ts';
import { formatList } from '../../text/describe.ts';
import type { AbsentServers } from './absent-servers.ts';

/** Instructions to connect MCP clients to a gateway. `url` is that of its MCP endpoint. */
export function formatClientSnippet(url: string): string {
  const vscode = JSON.stringify({ servers: { lintel: { type: 'http', url } } });
  return `Connect a client
  Claude Code    claude mcp add --transport http lintel ${url}
  VS Code        .vscode/mcp.json: ${vscode}
  MCP Inspector  npx @modelcontextprotocol/inspector, then Transport: Streamable HTTP, URL: ${url}`;
}

/** The line with which the runtime announces its address. */
export interface ListeningAddress {
  readonly url: string;
  readonly internal: string;
  readonly gateway?: string;
  readonly registry?: string;
}

export interface ListeningOptions {
  /** The servers that cannot start here. They are printed first, because the following log would bury them. */
  readonly absent: AbsentServers;
  /** Width of the terminal; undefined for unlimited lines. */
  readonly columns: number | undefined;
  readonly color: boolean;
}

/** The default address of `lintel top`. */
const USUAL_STATUS = `http://127.0.0.1:${INTERNAL_PORT}`;

/** The text that replaces the runtime's JSON announcement for a person. */
export function formatListening(listening: ListeningAddress, { absent, columns, color }: ListeningOptions): string {
  const { url, internal, gateway, registry } = listening;
  const lines = [
    gateway === undefined ? `Registry server ${registry} serves at ${url}` : `Gateway ${gateway} serves at ${url}`,
    `Status and metrics: ${internal}/status, ${internal}/metrics`,
    ...(gateway === undefined ? [`People browse it at ${url}${PAGE_PATH}`] : []),
    ...(gateway === undefined || internal === USUAL_STATUS ? [] : [`Live: ${getOwnCommand()} top ${internal}`]),
    ...formatAbsent(absent, columns, color),
    ...(gateway === undefined ? [] : ['', formatClientSnippet(url)]),
    '',
    'Ctrl-C ends it once running calls have ended; a second Ctrl-C ends it at once.',
  ];
  return `${lines.join('\n')}\n`;
}

function formatAbsent(
  { names, count, texts }: AbsentServers,
  columns: number | undefined,
  color: boolean,
): readonly string[] {
  if (names.length === 0) return [];
  const all = names.length === count ? 'without any of its servers' : `without ${names.length} of its ${count} servers`;
  const heading = `It serves ${all}: ${formatList(names)}`;
  const below = texts
    .flatMap(text => text.split('\n'))
    .flatMap(line => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      const most = columns === undefined ? Number.POSITIVE_INFINITY : columns - INDENT.length - indent.length;
      return wrapLines(line.trim(), most).map(part => INDENT + indent + part);
    });
  return ['', color ? styleText('yellow', heading, { validateStream: false }) : heading, ...below];
}

const INDENT = '  ';
