/**
 * `mcp.json`, by any of its names: Claude Desktop (`claude_desktop_config.json`), Claude Code (`.mcp.json`, `.claude.json`), Cursor, Windsurf
 * (`mcp_config.json`), mcp-hub and others have `mcpServers`; VS Code has `servers`, in its settings below `mcp`.
 */
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import { resolveFolders } from '../client-folders.ts';
import type { FoundHeader, FoundProgram, FoundServer, FoundServers, ImportOutcome, LostPart } from '../found.ts';
import { explainLoss, explainUnknownPart } from '../lost-reasons.ts';
import { MemberReader } from '../members.ts';
import { formatUnreadable, toReadableOutcome } from '../readable-outcome.ts';
import { readBridgedRemote } from './mcp-remote.ts';

/** Client settings for prompts, timeouts and display, which do not concern a gateway. */
const OF_CLIENTS = [
  '$typeName',
  'alwaysAllow',
  'alwaysLoad',
  'autoApprove',
  'custom_instructions',
  'description',
  'dev',
  'displayName',
  'gallery',
  'icon',
  'initTimeout',
  'name',
  'note',
  'startup_timeout_ms',
  'timeout',
  'title',
  'trust',
  'version',
  'watchPaths',
];

/** Settings for signing people in. */
const SIGN_IN = ['auth', 'authProviderType', 'oauth'];

/** Items that a client hides. A gateway can hide tools alone. */
const LOST_FILTERS: Readonly<Record<string, string>> = {
  disabled_prompts: 'a gateway shows all prompts of a server',
  disabled_resourceTemplates: 'a gateway shows all resource templates of a server',
  disabled_resources: 'a gateway shows all resources of a server',
};

const NO_SANDBOX = 'a bridge runs a program without a sandbox';

/** Settings for programs that a bridge does not support. */
const LOST_WITH_PROGRAMS: Readonly<Record<string, string>> = {
  envFile: 'write its variables into the .env of the gateway, and name them in the spec',
  sandbox: NO_SANDBOX,
  sandboxEnabled: NO_SANDBOX,
};

export const LOST_OF_CLIENTS: Readonly<Record<string, string>> = { ...LOST_WITH_PROGRAMS, ...LOST_FILTERS };

export function isMcpJson(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { mcpServers, servers, mcp, projects } = value;
  return [mcpServers, servers, isObject(mcp) ? mcp.servers : undefined, projects].some(isObject);
}

export function readMcpJson(value: unknown): FoundServers {
  const file = value as Readonly<Record<string, unknown>>;
  const isVsCode = isObject(file.servers) || isObject((file.mcp as Record<string, unknown> | undefined)?.servers);
  const tables = [
    ['mcpServers', file.mcpServers],
    ['servers', file.servers],
    ['mcp.servers', isObject(file.mcp) ? file.mcp.servers : undefined],
    ...listProjectTables(file.projects),
  ] as const;
  const servers = tables.flatMap(([location, table]) =>
    isObject(table)
      ? Object.entries(table).map(([name, entry]) => parseServer(name, `${location}.${name}`, entry))
      : [],
  );
  return {
    form: isVsCode ? 'servers of VS Code' : 'servers of an MCP client',
    isOfClient: true,
    servers,
    lost: [...listNativeServers(file.nativeMCPServers), ...listSandbox(file)],
  };
}

/** Claude Code stores the servers of individual folders in its own file. */
function listProjectTables(projects: unknown): readonly (readonly [place: string, table: unknown])[] {
  if (!isObject(projects)) return [];
  return Object.entries(projects).map(([folder, project]) => [
    `projects[${JSON.stringify(folder)}].mcpServers`,
    isObject(project) ? project.mcpServers : undefined,
  ]);
}

function listNativeServers(value: unknown): readonly LostPart[] {
  const names = isObject(value) ? Object.keys(value) : Array.isArray(value) ? value.map(() => 'one') : [];
  return names.length === 0
    ? []
    : [{ part: 'nativeMCPServers', reason: 'they run inside of the hub, where the gateway cannot reach them' }];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** VS Code has one sandbox for all programs that ask for it. */
function listSandbox({ servers, sandbox }: Readonly<Record<string, unknown>>): readonly LostPart[] {
  return isObject(servers) && isObject(sandbox) ? [{ part: 'sandbox', reason: NO_SANDBOX }] : [];
}

/** One server in the notation of any of these clients. */
export function parseServer(name: string, location: string, entry: unknown): FoundServer {
  if (!isObject(entry)) {
    const reason = 'it is no server: its settings are missing';
    return { name, place: location, outcome: { type: 'refused', reason }, lost: [], ofClient: [] };
  }
  const members = new MemberReader(resolveFolders(entry as Readonly<Record<string, unknown>>));
  const outcome = toReadableOutcome(toOutcome(members), members);
  const ofClient = members.present(OF_CLIENTS);
  members.present(
    Object.keys(LOST_FILTERS).filter(name => isEmptyList((entry as Readonly<Record<string, unknown>>)[name])),
  );
  // If a server is not converted, its unread settings are not reported separately.
  const unread = outcome.type === 'remote' || outcome.type === 'program' ? members.listUnread() : [];
  const lost = unread.map(part => ({
    part,
    reason: explainLoss(
      part,
      outcome.type === 'program' ? LOST_OF_CLIENTS : LOST_FILTERS,
      explainUnknownPart(members.suggest(part)),
    ),
  }));
  return { name, place: location, outcome, lost, ofClient };
}

function toOutcome(members: MemberReader): ImportOutcome {
  const [isDisabled, isEnabled] = [members.isOn('disabled'), members.isOn('enabled')];
  if (isDisabled === true || isEnabled === false) return { type: 'off', reason: 'it is switched off' };
  const type = members.text('type') ?? members.text('transport') ?? members.text('transportType');
  const command = members.text('command');
  const url = members.text('url') ?? members.text('serverUrl') ?? members.text('httpUrl');
  const tools = readShownTools(members);
  if ('refusal' in tools) return tools.refusal;
  if (command !== undefined) {
    const args = members.texts('args') ?? [];
    const variables = members.pairs('env');
    const bridged = readBridgedRemote(command, args, variables);
    if (bridged === undefined) {
      const workingDir = members.text('cwd');
      if (members.pairs('headers').length > 0) return refuseFile('it has both a command and headers');
      return toProgram({ command, args, variables, workingDir, tools: tools.shown });
    }
    members.present(['cwd', ...Object.keys(LOST_WITH_PROGRAMS)]);
    return 'reason' in bridged
      ? refuseFile(bridged.reason)
      : { type: 'remote', remote: { ...bridged, tools: tools.shown } };
  }
  members.present(['args', 'cwd', 'env', ...Object.keys(LOST_WITH_PROGRAMS)]);
  if (url === undefined) return refuseFile(withoutAddress(members, type));
  const [helper] = members.present(['headersHelper']);
  if (helper !== undefined)
    return refuseFile('a program makes its headers (headersHelper): give a fixed header instead');
  const [signIn] = members
    .present(SIGN_IN)
    .filter(name => isObject(members.get(name)) || typeof members.get(name) === 'string');
  if (signIn !== undefined) return refuseFile(formatClientSignIn(signIn));
  const transport = chooseTransport(type, members.has('httpUrl'));
  if (transport === 'other') return refuseFile(formatUnknownTransport(type ?? ''));
  const headers = [...members.pairs('headers'), ...members.within('requestInit').pairs('headers')].map(
    ([name, value]): FoundHeader => ({ name, value }),
  );
  return { type: 'remote', remote: { url, transport, headers, tools: tools.shown } };
}

/** A server without an address most likely has a misspelt member. */
function withoutAddress(members: MemberReader, type: string | undefined): string {
  if (members.problems.length > 0) return formatUnreadable(members.problems);
  const [typo] = members.listUnread().filter(name => ADDRESSES.includes(members.suggest(name) ?? ''));
  const missing = type === undefined || /^stdio$/i.test(type) ? 'it has neither a command nor a URL' : 'it has no URL';
  return typo === undefined ? missing : `${missing}: ${typo} looks like a misspelt ${members.suggest(typo)}`;
}

const ADDRESSES: readonly string[] = ['command', 'httpUrl', 'serverUrl', 'url'];

function formatUnknownTransport(type: string): string {
  const near = findNearest(type, ['http', 'streamable-http', 'sse']);
  const meant = near === undefined ? '' : `: ${type} looks like a misspelt ${near}`;
  return `its transport is none of http and sse${meant}`;
}

/** The name of a shell variable. */
export const VARIABLE: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/;

function toProgram(program: FoundProgram): ImportOutcome {
  const { command, args, variables, workingDir = '' } = program;
  const words = command.trim().split(/\s+/);
  if (args.length === 0 && words.length > 1 && !command.includes('/') && !command.includes('\\'))
    return refuseFile('its command is a line for a shell: write its words into args');
  if (/\$\{|%\w+%/.test(command + workingDir))
    return refuseFile('its command or folder has a variable, which a spec cannot have: write the path out');
  if (!variables.every(([name]) => VARIABLE.test(name))) return refuseFile('the name of one of its variables is none');
  // On Windows, clients start a program through `cmd /c`. A bridge starts it without this shell.
  const [first, next, ...rest] = args;
  if (/^cmd(?:\.exe)?$/i.test(command) && /^\/c$/i.test(first ?? '') && next !== undefined)
    return { type: 'program', program: { ...program, command: next, args: rest, firstArgument: -2 } };
  return { type: 'program', program };
}

function chooseTransport(type: string | undefined, isHttp: boolean): 'sse' | 'streamable-http' | 'other' | undefined {
  if (type === undefined) return isHttp ? 'streamable-http' : undefined;
  if (/^sse$/i.test(type)) return 'sse';
  return /^(?:streamable[-_]?)?https?$/i.test(type) ? 'streamable-http' : 'other';
}

type ShownTools = { readonly shown: readonly string[] | undefined } | { readonly refusal: ImportOutcome };

/** An allow-list of tools becomes a filter. A deny-list cannot be converted without knowing the tools, and dropping it would show more. */
function readShownTools(members: MemberReader): ShownTools {
  const hidden = ['disabledTools', 'disabled_tools', 'excludeTools'].flatMap(name => members.texts(name) ?? []);
  if (hidden.length > 0)
    return {
      refusal: refuseFile(
        'it hides some of its tools, and which are left is not known: write a filter of those that are',
      ),
    };
  const shown = ['includeTools', 'enabledTools', 'enabled_tools', 'tools'].flatMap(name => {
    const names = members.texts(name);
    return names === undefined ? [] : [names];
  });
  const [names] = shown;
  if (names === undefined || names.includes('*')) return { shown: undefined };
  return names.length === 0 ? { refusal: { type: 'off', reason: 'it shows none of its tools' } } : { shown: names };
}

/** @param setting the client's setting for signing in */
export function formatClientSignIn(setting: string): string {
  return `its client signs people in (${setting}): see authServerConfig, with which a gateway does that`;
}

export function refuseFile(reason: string): ImportOutcome {
  return { type: 'refused', reason };
}
