/**
 * The run configuration of a ToolHive workload, as `thv export` writes it.
 *
 * @see https://docs.stacklok.com/toolhive/reference/cli/thv_export
 */
import { isObject } from '#schemas';
import type { FoundHeader, FoundServer, FoundServers, ImportOutcome, LostPart } from '../found.ts';
import { CALLERS, explainLoss, explainUnknownPart } from '../lost-reasons.ts';
import { MemberReader } from '../members.ts';
import { toReadableOutcome } from '../readable-outcome.ts';
import { toDockerRun } from './docker-run.ts';
import { refuseFile } from './mcp-json.ts';

/** Settings of ToolHive's own operation, which do not affect what callers reach. */
const OF_TOOLHIVE = [
  'allow_docker_gateway',
  'base_name',
  'container_labels',
  'container_name',
  'debug',
  'endpoint_prefix',
  'env_file_dir',
  'group',
  'host',
  'ignore_config',
  'jwks_auth_token_file',
  'k8s_pod_template_patch',
  'mcpserver_generation',
  'permission_profile_name_or_path',
  'port',
  'proxy_mode',
  'publish',
  'rate_limit_namespace',
  'registry_api_url',
  'registry_server_name',
  'registry_url',
  'runtime_config',
  'scaling_config',
  'schema_version',
  'session_ttl',
  'stateless',
  'target_host',
  'target_port',
  'thv_ca_bundle',
  'trust_proxy_headers',
];

/** Variables with which ToolHive configures the server's transport. */
const OF_TRANSPORT = new Set(['MCP_TRANSPORT', 'MCP_PORT', 'FASTMCP_PORT', 'MCP_HOST', 'FASTMCP_HOST']);

export const LOST_OF_TOOLHIVE: Readonly<Record<string, string>> = {
  audit_config: 'write config.audit of the gateway',
  audit_config_path: 'write config.audit of the gateway',
  authz_config: `${CALLERS} its policies into spec.incomingAuth.authzConfig`,
  authz_config_path: `${CALLERS} its policies into spec.incomingAuth.authzConfig`,
  aws_sts_config: 'write an MCPExternalAuthConfig of type awsSts, and refer to it',
  embedded_auth_server_config: `${CALLERS} spec.authServerConfig, by which the gateway signs people in`,
  mutating_webhooks: 'a gateway calls no webhooks',
  oidc_config: `${CALLERS} spec.incomingAuth of type oidc`,
  rate_limit_config: 'write config.rateLimiting of the gateway',
  telemetry_config: 'write config.telemetry of the gateway',
  token_exchange_config: 'write an MCPExternalAuthConfig of type tokenExchange, and refer to it',
  tools_override: 'write overrides into config.aggregation.tools of the gateway',
  upstream_swap_config: 'write an MCPExternalAuthConfig of type upstreamInject, and refer to it',
  validating_webhooks: 'a gateway calls no webhooks, so the calls that they refuse would pass',
};

export function isToolHive(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.schema_version === 'string' &&
    (typeof value.image === 'string' || typeof value.remote_url === 'string')
  );
}

export function readToolHive(value: unknown): FoundServers {
  const members = new MemberReader(value);
  const name = members.text('name') ?? members.text('base_name') ?? members.text('container_name') ?? 'server';
  const outcome = toReadableOutcome(toOutcome(members), members);
  const ofClient = members
    .present(OF_TOOLHIVE)
    .filter(member => !['schema_version', 'host', 'port'].includes(member) && !isEmpty(members.get(member)));
  // The settings of each middleware also have a member of their own.
  members.present(['middleware_configs']);
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  const unread = isCarried ? members.listUnread().filter(part => !isEmpty(members.get(part))) : [];
  const lost = unread.map(
    (part): LostPart => ({
      part,
      reason: explainLoss(part, LOST_OF_TOOLHIVE, explainUnknownPart(members.suggest(part))),
    }),
  );
  const isolation: readonly LostPart[] =
    outcome.type === 'program' && isIsolated(members)
      ? [{ part: 'isolate_network', reason: 'a container that `docker run` starts reaches every address' }]
      : [];
  const server: FoundServer = { name, place: name, outcome, lost: [...lost, ...isolation], ofClient };
  return { form: 'run configuration of ToolHive', servers: [server], lost: [] };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === false || value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isEmpty);
}

function isIsolated(members: MemberReader): boolean {
  return members.get('isolate_network') === true;
}

function toOutcome(members: MemberReader): ImportOutcome {
  members.present(['isolate_network']);
  const tools = members.texts('tools_filter');
  const shown = tools === undefined || tools.length === 0 ? undefined : tools;
  const transport = members.text('transport');
  const url = members.text('remote_url');
  const profile = members.within('permission_profile');
  if (url !== undefined) {
    members.present(['image', 'cmd_args', 'env_vars', 'secrets', 'volumes']);
    if (!isEmpty(members.get('remote_auth_config')))
      return refuseFile(
        'ToolHive signs a person in to it (remote_auth_config): see outgoingAuth, by which a gateway does that',
      );
    const kind = transport === 'sse' ? 'sse' : 'streamable-http';
    return { type: 'remote', remote: { url, transport: kind, headers: readHeaders(members), tools: shown } };
  }
  const image = members.text('image');
  if (image === undefined) return refuseFile('it has neither an image nor a URL');
  members.present(['remote_auth_config', 'header_forward']);
  if (transport !== 'stdio')
    return refuseFile(
      `its image serves ${transport ?? 'HTTP'}: run it, and import its URL, or write an MCPServer with this image for a cluster`,
    );
  const program = toDockerRun({
    image,
    command: members.texts('cmd_args') ?? [],
    volumes: [
      ...(members.texts('volumes') ?? []),
      ...(profile.texts('read') ?? []).map(path => `${formatMountedPath(path)}:ro`),
      ...(profile.texts('write') ?? []).map(formatMountedPath),
    ],
    user: undefined,
    hasNetwork: true,
    variables: [...members.pairs('env_vars').filter(([name]) => !OF_TRANSPORT.has(name)), ...readSecrets(members)],
    tools: shown,
  });
  return { type: 'program', program };
}

/** A single path is the same inside and outside of the container. */
function formatMountedPath(path: string): string {
  return path.includes(':') ? path : `${path}:${path}`;
}

/** `NAME,target=VARIABLE`: ToolHive's secret store has the value under this name. */
function readSecrets(members: MemberReader): readonly (readonly [name: string, value: string])[] {
  return (members.texts('secrets') ?? []).flatMap(text => {
    const [, name = '', target = ''] = /^([^,]+),target=(.+)$/.exec(text) ?? [];
    if (target === '') members.note('secrets', 'holds something else than NAME,target=VARIABLE');
    return target === '' ? [] : [[target, `\${${name}}`] as const];
  });
}

function readHeaders(members: MemberReader): readonly FoundHeader[] {
  const forward = members.within('header_forward');
  return [
    ...forward.pairs('add_plaintext_headers').map(([name, value]) => ({ name, value })),
    ...forward.pairs('add_headers_from_secret').map(([name, secret]) => ({ name, value: `\${${secret}}` })),
  ];
}
