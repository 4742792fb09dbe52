/**
 * `config.yaml` of agentgateway: `mcp.targets`, and those of the routes below `binds`.
 *
 * @see https://agentgateway.dev/docs/standalone/latest/mcp/
 */
import { isObject } from '#schemas';
import type { FoundServer, FoundServers, ImportOutcome, LostPart } from '../found.ts';
import { CALLERS, explainLoss, explainUnknownPart } from '../lost-reasons.ts';
import { MemberReader } from '../members.ts';
import { formatUnreadable, toReadableOutcome } from '../readable-outcome.ts';
import { refuseFile } from './mcp-json.ts';

export const LOST_POLICIES: Readonly<Record<string, string>> = {
  apiKey: `${CALLERS} spec.incomingAuth of type oidc; a gateway takes no API keys`,
  authorization: `${CALLERS} its rules as Cedar policies into spec.incomingAuth.authzConfig`,
  backendAuth: 'write outgoingAuth for the server, or a header',
  basicAuth: `${CALLERS} spec.incomingAuth of type oidc; a gateway takes no passwords`,
  cors: 'start the gateway with --allowed-origin',
  extAuthz: `${CALLERS} what it decides as Cedar policies into spec.incomingAuth.authzConfig`,
  jwtAuth: `${CALLERS} spec.incomingAuth of type oidc`,
  localRateLimit: 'write config.rateLimiting of the gateway',
  mcpAuthentication: `${CALLERS} spec.incomingAuth of type oidc`,
  mcpAuthorization: `${CALLERS} its rules as Cedar policies into spec.incomingAuth.authzConfig`,
  remoteRateLimit: 'write config.rateLimiting of the gateway',
};

const ONE_ADDRESS = 'a gateway has one address for all of its servers';

/** Settings of listeners and routes without an equivalent in a gateway. */
export const LOST_OF_LISTENERS: Readonly<Record<string, string>> = {
  hostname: ONE_ADDRESS,
  hostnames: ONE_ADDRESS,
  matches: ONE_ADDRESS,
  tcpRoutes: 'a gateway serves MCP over HTTP',
  tls: 'a gateway serves HTTP: before other machines can call, put a proxy with this certificate in front of it',
};

/** Backends of routes that are no MCP servers. */
const OTHER_BACKENDS = ['ai', 'dynamic', 'host', 'service'];

/** Settings of agentgateway's own listeners and user interface. */
const OF_AGENTGATEWAY = ['config', 'port', 'prefixMode', 'statefulMode', 'sessionIdleTtl', 'failureMode'];

export function isAgentGateway(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Array.isArray(value.binds) || (isObject(value.mcp) && Array.isArray(value.mcp.targets));
}

export function readAgentGateway(value: unknown): FoundServers {
  const file = new MemberReader(value);
  const servers: FoundServer[] = [];
  const lost: LostPart[] = [];
  const readMcp = (location: string, value: unknown) => {
    const mcp = new MemberReader(value);
    servers.push(
      ...listItems(mcp.get('targets')).map((target, index) => readServer(`${location}.targets[${index}]`, target)),
    );
    lost.push(...listLostPolicies(`${location}.policies`, mcp.get('policies')));
    mcp.present(OF_AGENTGATEWAY);
    lost.push(...listUnknown(location, mcp));
  };
  if (isObject(file.get('mcp'))) readMcp('mcp', file.get('mcp'));
  const { routes, lost: ofListeners } = readRoutes(file.get('binds'));
  lost.push(...ofListeners);
  for (const { place: location, route } of routes) {
    const members = new MemberReader(route);
    lost.push(...listLostPolicies(`${location}.policies`, members.get('policies')));
    for (const [index, backend] of listItems(members.get('backends')).entries()) {
      const at = `${location}.backends[${index}]`;
      const parts = new MemberReader(backend);
      if (isObject(parts.get('mcp'))) readMcp(`${at}.mcp`, parts.get('mcp'));
      lost.push(...listLostPolicies(`${at}.policies`, parts.get('policies')));
      parts.present(['weight']);
      for (const part of parts.present(OTHER_BACKENDS))
        lost.push({ part: `${at}.${part}`, reason: 'it is no MCP server' });
      lost.push(...listUnknown(at, parts));
    }
    members.present(['name', 'namespace', 'ruleName']);
    lost.push(...listLostSettings(location, members));
  }
  file.present(['config', '$schema']);
  lost.push(...listUnknown('', file));
  return { form: 'config.yaml of agentgateway', servers, lost };
}

interface FoundRoute {
  readonly place: string;
  readonly route: unknown;
}

function readRoutes(binds: unknown): { readonly routes: readonly FoundRoute[]; readonly lost: readonly LostPart[] } {
  const routes: FoundRoute[] = [];
  const lost: LostPart[] = [];
  for (const [b, bind] of listItems(binds).entries()) {
    const members = new MemberReader(bind);
    for (const [l, value] of listItems(members.get('listeners')).entries()) {
      const at = `binds[${b}].listeners[${l}]`;
      const listener = new MemberReader(value);
      for (const [r, route] of listItems(listener.get('routes')).entries())
        routes.push({ place: `${at}.routes[${r}]`, route });
      listener.present(['name', 'namespace', 'protocol']);
      lost.push(...listLostSettings(at, listener));
    }
    members.present(['port']);
    lost.push(...listLostSettings(`binds[${b}]`, members));
  }
  return { routes, lost };
}

/** Unread settings of a listener or route, without those that match everything. */
function listLostSettings(location: string, members: MemberReader): readonly LostPart[] {
  return members.listUnread().flatMap(part => {
    const value = members.get(part);
    const isWhole = value === undefined || value === '*' || (Array.isArray(value) && value.length === 0);
    return isWhole
      ? []
      : [
          {
            part: `${location}.${part}`,
            reason: explainLoss(part, LOST_OF_LISTENERS, explainUnknownPart(members.suggest(part))),
          },
        ];
  });
}

function readServer(location: string, target: unknown): FoundServer {
  const members = new MemberReader(target);
  const name = members.text('name') ?? 'server';
  const outcome = toReadableOutcome(toOutcome(members), members);
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  const policies = isCarried ? listLostPolicies('policies', members.get('policies')) : [];
  const lost = isCarried ? [...policies, ...listUnknown('', members)] : [];
  return { name, place: location, outcome, lost, ofClient: [] };
}

function toOutcome(members: MemberReader): ImportOutcome {
  for (const [member, transport, usual] of [
    ['mcp', 'streamable-http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const) {
    if (!isObject(members.get(member))) continue;
    const remote = members.within(member);
    const url = readUrl(remote, usual, isObject(new MemberReader(members.get('policies')).get('backendTLS')));
    noteUnread(remote);
    if (url === undefined && members.problems.length === 0)
      return refuseFile('it names a backend that is described elsewhere: give its URL');
    if (url === undefined) return refuseFile(formatUnreadable(members.problems));
    return { type: 'remote', remote: { url, transport, headers: [], tools: undefined } };
  }
  const stdio = members.get('stdio');
  if (isObject(stdio)) {
    const program = members.within('stdio');
    const command = program.text('cmd');
    if (command === undefined) return refuseFile(withoutCommand(program));
    const args = program.texts('args') ?? [];
    const variables = program.pairs('env');
    noteUnread(program);
    return { type: 'program', program: { command, args, variables, workingDir: undefined, tools: undefined } };
  }
  return isObject(members.get('openapi'))
    ? refuseFile('agentgateway makes its tools out of an OpenAPI document: put a server in front of that API')
    : refuseFile(withoutAddress(members));
}

/** Reports unknown settings of a target as problems, because they may decide how the server is reached. */
function noteUnread(members: MemberReader): void {
  members.present(['backend']);
  for (const name of members.listUnread()) {
    const meant = members.suggest(name);
    members.note(name, `is not known${meant === undefined ? '' : `: did you mean ${meant}?`}`);
  }
}

function withoutCommand(program: MemberReader): string {
  if (program.problems.length > 0) return formatUnreadable(program.problems);
  const [typo] = program.listUnread();
  const isMeant = typo !== undefined && program.suggest(typo) === 'cmd';
  return isMeant
    ? `it has no command: ${typo} looks like a misspelt cmd`
    : 'it has no command: write it into stdio.cmd';
}

function withoutAddress(members: MemberReader): string {
  const [typo] = members.listUnread().filter(name => TARGETS.includes(members.suggest(name) ?? ''));
  const missing = 'it has none of mcp, sse and stdio';
  return typo === undefined ? missing : `${missing}: ${typo} looks like a misspelt ${members.suggest(typo)}`;
}

const TARGETS: readonly string[] = ['mcp', 'sse', 'stdio'];

/** `host` is a URL, or a name next to `port` and `path`. */
function readUrl(remote: MemberReader, usualPath: string, isTls: boolean): string | undefined {
  const host = remote.text('host');
  if (host === undefined) return undefined;
  if (/^https?:\/\//i.test(host)) {
    const url = URL.parse(host);
    return url !== null && url.pathname === '/' && !host.endsWith('/') ? `${host}${usualPath}` : host;
  }
  const port = Number(remote.get('port') ?? (isTls ? 443 : 80));
  const path = remote.text('path') ?? usualPath;
  const scheme = isTls || port === 443 ? 'https' : 'http';
  return `${scheme}://${host}:${port}${path.startsWith('/') ? path : `/${path}`}`;
}

function listLostPolicies(location: string, policies: unknown): readonly LostPart[] {
  if (!isObject(policies)) return [];
  return Object.keys(policies)
    .filter(
      policy => policy !== 'backendTLS' || (isObject(policies[policy]) && Object.keys(policies[policy]).length > 0),
    )
    .map(policy => ({
      part: `${location}.${policy}`,
      reason: explainLoss(policy, LOST_POLICIES, 'a gateway has no such policy'),
    }));
}

function listUnknown(location: string, members: MemberReader): readonly LostPart[] {
  return members.listUnread().map(member => ({
    part: location === '' ? member : `${location}.${member}`,
    reason: explainUnknownPart(members.suggest(member)),
  }));
}

function listItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
