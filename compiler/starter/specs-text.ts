/** Writes the specs of a new gateway in handwritten style: a group, its servers, and the gateway. */

import { findRefusedHost } from '#schemas';
import { formatYaml, formatYamlStream } from '../source/format-yaml.ts';
import { findSecretParameter } from '../source/secret-parameter.ts';
import { isOnThisMachine } from './on-this-machine.ts';
import { nameLocalVariable, nameProgramSecret, nameSecret } from './secret-variables.ts';
import { isProgram, type StarterProgram, type StarterRemote, type StarterServer } from './starter-server.ts';

export const API_VERSION = 'lintel.dev/v1beta1';

const CALLERS = `# Every program on this machine may call, and no other machine: \`local\` opens on loopback addresses only.
# Before other machines can call, take this out and demand a token by \`spec.incomingAuth\` of type \`oidc\`.
`;

export interface StarterGateway {
  /** The name of the gateway and of its group. */
  readonly name: string;
  /** A one-sentence description of the group. */
  readonly description: string;
  readonly servers: readonly StarterServer[];
}

/** YAML with one document per object. It refers to secrets and never contains one. */
export function formatSpecs(gateway: StarterGateway): string {
  const { name, description, servers } = gateway;
  const group = { apiVersion: API_VERSION, kind: 'MCPGroup', metadata: { name }, spec: { description } };
  const objects = formatYamlStream([group, ...buildObjects(servers, name)]);
  return withReasons(`${objects}---\n${formatGateway(gateway)}`);
}

/** Only the servers, as members of a group that is defined elsewhere. None of them runs on this machine. */
export function formatServers(servers: readonly StarterServer[], group: string): string {
  return withReasons(formatYamlStream(buildObjects(servers, group)));
}

/** The reason of a suppression for a URL whose query parameter looks like a secret: a person declared that it is not. */
const REASON = '# lintel-ignore LNT6025: no secret, as --plain says';

/** The specs, with the reason above each URL that `lintel check` would refuse. */
function withReasons(text: string): string {
  return text.replace(/^( *)(?:(?:remoteUrl|url): |- )(\S+)$/gm, (line, indent: string, value: string) =>
    findSecretParameter(value) === undefined ? line : `${indent}${REASON}\n${line}`,
  );
}

/** Remote servers on this machine have no object: they are inline in the gateway. */
function buildObjects(servers: readonly StarterServer[], group: string): readonly object[] {
  return servers.flatMap(server => {
    if (isProgram(server)) return [buildServer(server, group)];
    return isOnThisMachine(server) ? [] : [buildEntry(server, group)];
  });
}

/** The MCPServer of a stdio program, which `lintel dev` and `lintel serve` start on this machine. */
function buildServer(server: StarterProgram, group: string): object {
  const { name, command, args, workingDir, plainVariables, secretVariables, inherited = [] } = server;
  const env = Object.entries(plainVariables).map(([variable, value]) => ({ name: variable, value }));
  const secrets = secretVariables.map(variable => ({ ...nameProgramSecret(name, variable), targetEnvName: variable }));
  return {
    apiVersion: API_VERSION,
    kind: 'MCPServer',
    metadata: { name },
    spec: {
      groupRef: { name: group },
      transport: 'stdio',
      command,
      ...(args.length > 0 && { args }),
      ...(workingDir !== undefined && { workingDir }),
      ...(env.length > 0 && { env }),
      ...(secrets.length > 0 && { secrets }),
      ...(inherited.length > 0 && { process: { inheritEnv: inherited } }),
    },
  };
}

function buildEntry(server: StarterRemote, group: string): object {
  const { name, url, transport, plainHeaders, secretHeaders } = server;
  const secret = secretHeaders.map(header => ({ headerName: header, valueSecretRef: nameSecret(name, header) }));
  const headerForward = {
    ...(Object.keys(plainHeaders).length > 0 && { addPlaintextHeaders: plainHeaders }),
    ...(secret.length > 0 && { addHeadersFromSecret: secret }),
  };
  return {
    apiVersion: API_VERSION,
    kind: 'MCPServerEntry',
    metadata: { name },
    spec: {
      remoteUrl: url,
      transport,
      groupRef: { name: group },
      ...(isPrivate(url) && { allowPrivateEndpoint: true }),
      ...(Object.keys(headerForward).length > 0 && { headerForward }),
    },
  };
}

/** Judged by the literal host; names are not resolved. */
function isPrivate(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return findRefusedHost(host, 'public') !== undefined && findRefusedHost(host, 'private') === undefined;
}

function formatGateway({ name, servers }: StarterGateway): string {
  const local = servers.filter(server => !isProgram(server) && isOnThisMachine(server)) as readonly StarterRemote[];
  const parts = [
    formatYaml({ apiVersion: API_VERSION, kind: 'VirtualMCPServer', metadata: { name } }),
    `spec:\n  groupRef:\n    name: ${name}\n\n  config:\n`,
    indentText(`${CALLERS}${formatYaml({ incomingAuth: { type: 'local' } })}`, 2),
    ...(local.length === 0 ? [] : ['\n', indentText(formatLocal(local), 2)]),
    '\n',
    indentText(formatAggregation(servers), 2),
  ];
  return parts.join('');
}

/** Servers on this machine are inline backends of the gateway. */
function formatLocal(servers: readonly StarterRemote[]): string {
  const backends = servers.map(({ name, url, transport }) => ({ name, url, transport }));
  const withHeader = servers.flatMap(({ name, secretHeaders: [header] }) =>
    header === undefined ? [] : [[name, buildInjection(name, header)] as const],
  );
  const strategies = withHeader.length === 0 ? {} : { backends: Object.fromEntries(withHeader) };
  const outgoingAuth = { source: 'inline', default: { type: 'unauthenticated' }, ...strategies };
  return `# On this machine; a cluster cannot reach them.\n${formatYaml({ backends })}${formatYaml({ outgoingAuth })}`;
}

function buildInjection(server: string, headerName: string): object {
  return {
    type: 'header_injection',
    headerInjection: { headerName, headerValueEnv: nameLocalVariable(server, headerName) },
  };
}

function formatAggregation(servers: readonly StarterServer[]): string {
  const tools = servers.map(({ name, tools }) => ({ workload: name, ...(tools !== undefined && { filter: tools }) }));
  return [
    'aggregation:\n',
    '  # Tools are named after their server, so that none takes the place of another.\n',
    indentText(formatYaml({ conflictResolution: 'prefix', conflictResolutionConfig: { prefixFormat: '{workload}_' } })),
    '  # A server that is not listed here shows nothing: a new one opens nothing by accident.\n',
    indentText(formatYaml({ defaultToolVisibility: 'deny' })),
    indentText(formatYaml({ tools })),
  ].join('');
}

function indentText(text: string, levels = 1): string {
  return text.replace(/^(?=.)/gm, '  '.repeat(levels));
}
