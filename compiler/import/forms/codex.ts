/**
 * `config.toml` of Codex: `[mcp_servers.NAME]`.
 *
 * @see https://developers.openai.com/codex/mcp
 */
import { isObject } from '#schemas';
import type { FoundHeader, FoundServer, FoundServers } from '../found.ts';
import { MemberReader } from '../members.ts';
import { formatUnreadable } from '../readable-outcome.ts';
import { formatClientSignIn, parseServer, refuseFile, VARIABLE } from './mcp-json.ts';

/** Settings that Codex shares with other clients under another name. */
const OF_CODEX = [
  'default_tools_approval_mode',
  'experimental_environment',
  'required',
  'startup_timeout_ms',
  'startup_timeout_sec',
  'supports_parallel_tool_calls',
  'tool_timeout_sec',
  // Approval settings for each tool.
  'tools',
];

/** Settings for signing people in to a server. */
const SIGN_IN = ['oauth_resource', 'scopes'];

export function isCodex(value: unknown): boolean {
  return isObject(value) && isObject(value.mcp_servers);
}

export function readCodex(value: unknown): FoundServers {
  const table = (value as { mcp_servers: Readonly<Record<string, unknown>> }).mcp_servers;
  const servers = Object.entries(table).map(([name, entry]) => readCodexServer(name, entry));
  return { form: 'config.toml of Codex', isOfClient: true, servers, lost: [] };
}

function readCodexServer(name: string, entry: unknown): FoundServer {
  const location = `mcp_servers.${name}`;
  if (!isObject(entry)) return parseServer(name, location, entry);
  const members = new MemberReader(entry);
  const token = members.text('bearer_token_env_var');
  // Newer versions of Codex refuse it.
  const writtenToken = members.text('bearer_token');
  const headers: FoundHeader[] = [
    ...(writtenToken === undefined ? [] : [{ name: 'Authorization', value: `Bearer ${writtenToken}` }]),
    ...(token === undefined ? [] : [{ name: 'Authorization', value: `Bearer \${${token}}` }]),
    ...members.pairs('env_http_headers').map(([header, variable]) => ({ name: header, value: `\${${variable}}` })),
    ...members.pairs('http_headers').map(([header, value]) => ({ name: header, value })),
  ];
  const ofPrograms = typeof entry.command === 'string' ? ['env_vars'] : [];
  const ofRemotes = ['bearer_token', 'bearer_token_env_var', 'env_http_headers', 'http_headers', ...SIGN_IN];
  const own = new Set([...ofPrograms, ...ofRemotes, ...OF_CODEX]);
  const others = Object.entries(entry).filter(([member]) => !own.has(member));
  const usual = {
    ...Object.fromEntries(others),
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
  const server = withSettingsOfCodex(parseServer(name, location, usual), entry, members.problems);
  const ofCodex = OF_CODEX.filter(member => Object.hasOwn(entry, member));
  // Codex itself ignores `headers`.
  const ignored = Object.hasOwn(entry, 'headers') ? ['headers'] : [];
  return { ...server, ofClient: [...server.ofClient, ...ofCodex, ...ignored] };
}

/** Settings of Codex for programs and remote servers that no other client has. */
function withSettingsOfCodex(
  server: FoundServer,
  entry: Readonly<Record<string, unknown>>,
  problems: readonly string[],
): FoundServer {
  const { outcome } = server;
  if (outcome.type === 'remote' && problems.length > 0)
    return { ...server, outcome: refuseFile(formatUnreadable(problems)) };
  if (outcome.type === 'program') {
    if (entry.experimental_environment === 'remote') return { ...server, outcome: refuseFile(IN_REMOTE_ENVIRONMENT) };
    const inherited = readInheritedVariables(entry.env_vars);
    if (typeof inherited === 'string') return { ...server, outcome: refuseFile(inherited) };
    return inherited.length === 0
      ? server
      : { ...server, outcome: { ...outcome, program: { ...outcome.program, inherited } } };
  }
  const [signIn] = SIGN_IN.filter(member => Object.hasOwn(entry, member));
  return outcome.type === 'remote' && signIn !== undefined
    ? { ...server, outcome: refuseFile(formatClientSignIn(signIn)) }
    : server;
}

const IN_REMOTE_ENVIRONMENT =
  'Codex runs it in a remote environment (experimental_environment), and a gateway on this machine';

/**
 * `env_vars`: names, or objects that say where Codex reads the variable.
 *
 * @returns a reason, if a variable is not on this machine or has an invalid name
 */
function readInheritedVariables(value: unknown): readonly string[] | string {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return 'its env_vars are no list of names';
  const names: string[] = [];
  for (const item of value) {
    const name = isObject(item) ? item.name : item;
    if (typeof name !== 'string' || !VARIABLE.test(name))
      return 'one of its env_vars is not a valid name of a variable';
    if (isObject(item) && item.source !== undefined && item.source !== 'local')
      return `its variable ${name} comes from a remote environment of Codex (env_vars): write it into env of the spec`;
    names.push(name);
  }
  return [...new Set(names)];
}
