/**
 * `config.toml` of Codex: `[mcp_servers.NAME]`.
 *
 * @see https://developers.openai.com/codex/mcp
 */
import { isObject } from '#schemas';
import type { Found, FoundHeader, FoundServer } from '../found.ts';
import { Members } from '../members.ts';
import { parseServer } from './mcp-json.ts';

/** In Codex's words what other clients have in theirs. */
const OF_CODEX = [
  'default_tools_approval_mode',
  'required',
  'startup_timeout_ms',
  'startup_timeout_sec',
  'supports_parallel_tool_calls',
  'tool_timeout_sec',
];

export function isCodex(value: unknown): boolean {
  return isObject(value) && isObject(value.mcp_servers);
}

export function readCodex(value: unknown): Found {
  const table = (value as { mcp_servers: Readonly<Record<string, unknown>> }).mcp_servers;
  const servers = Object.entries(table).map(([name, entry]) => codexServer(name, entry));
  return { form: 'config.toml of Codex', isOfClient: true, servers, lost: [] };
}

function codexServer(name: string, entry: unknown): FoundServer {
  const place = `mcp_servers.${name}`;
  if (!isObject(entry)) return parseServer(name, place, entry);
  const members = new Members(entry);
  const token = members.text('bearer_token_env_var');
  const headers: FoundHeader[] = [
    ...(token === undefined ? [] : [{ name: 'Authorization', value: `Bearer \${${token}}` }]),
    ...members.pairs('env_http_headers').map(([header, variable]) => ({ name: header, value: `\${${variable}}` })),
    ...members.pairs('http_headers').map(([header, value]) => ({ name: header, value })),
  ];
  const own = new Set(['bearer_token_env_var', 'env_http_headers', 'http_headers', ...OF_CODEX]);
  const others = Object.entries(entry).filter(([member]) => !own.has(member));
  const usual = {
    ...Object.fromEntries(others),
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
  const server = parseServer(name, place, usual);
  const ofCodex = OF_CODEX.filter(member => Object.hasOwn(entry, member));
  // Codex ignores `headers` itself.
  const ignored = Object.hasOwn(entry, 'headers') ? ['headers'] : [];
  return { ...server, ofClient: [...server.ofClient, ...ofCodex, ...ignored] };
}
