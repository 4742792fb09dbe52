import { findNearest } from '#util';
import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { UsageError } from '../usage-error.ts';
import { type CompiledPaths, keepErrors, renderFindings } from './compile-paths.ts';

const SERVER_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy'];

/**
 * All gateways of the sources, or only the one with the given name. An MCPServer or MCPRemoteProxy counts as a gateway with one backend.
 *
 * @param gatewayName `name` or `namespace/name`, for a server also `MCPServer/name`; default: all
 * @throws UsageError when there is none, or none of that name
 */
export function chooseGateways(
  { gateways, servers, checked }: Pick<Compilation, 'gateways' | 'servers'> & Partial<Pick<Compilation, 'checked'>>,
  gatewayName: string | undefined,
): readonly CompiledGateway[] {
  const all = [...gateways, ...servers];
  const names = all.map(formatGatewayName);
  if (names.length === 0)
    throw new UsageError(
      `${formatSources(checked)} no VirtualMCPServer, and no server of a cluster that callers reach`,
    );
  if (gatewayName === undefined) return all;
  const chosen = all.filter(gateway => isCalled(gateway, gatewayName));
  // A name without a kind means the gateway, if a gateway and an MCPServer or MCPRemoteProxy have this name.
  const [first, ...others] = chosen.filter(gateway => !isServer(gateway));
  if (first !== undefined) return [first, ...others];
  if (chosen.length > 0) return chosen;
  const near = findNearest(gatewayName, [...names, ...all.map(({ object }) => object.name)]);
  const hint = near === undefined ? `there are: ${names.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`no gateway is named "${gatewayName}"; ${hint}`);
}

/**
 * The beginning of a message about something that the sources lack. If a file could not be read, the message mentions that, because the file may
 * contain it.
 */
export function formatSources(checked: Compilation['checked'] | undefined): string {
  return checked?.complete === false ? 'the sources, as far as they could be read, describe' : 'the sources describe';
}

/**
 * The only gateway is the default, even if there are servers too.
 *
 * @throws UsageError when there is none, or there are several and none is named
 */
export function findOnlyGateway(compiled: CompiledPaths, gatewayName: string | undefined): CompiledGateway {
  const { compilation } = compiled;
  const { gateways, servers } = compilation;
  if (gateways.length + servers.length === 0 && compilation.findings.counts.error > 0)
    process.stderr.write(`${renderFindings(keepErrors(compiled), 'pretty', { stream: process.stderr })}\n`);
  const isOfGateways = gatewayName === undefined && gateways.length > 0;
  const [only, ...others] = chooseGateways(isOfGateways ? { gateways, servers: [] } : compilation, gatewayName);
  if (only === undefined || others.length > 0) {
    const names = [...gateways, ...servers].map(formatGatewayName).join(', ');
    throw new UsageError(`several gateways: choose one with --gateway: ${names}`);
  }
  return only;
}

/** The name as `namespace/name`. That of an MCPServer or MCPRemoteProxy includes its kind. */
export function formatGatewayName({ object }: CompiledGateway): string {
  return `${object.namespace}/${displayName(object)}`;
}

/** The name for messages. The name of an MCPServer or MCPRemoteProxy includes its kind, because a gateway may have the same name. */
export function displayName(object: CompiledGateway['object']): string {
  return SERVER_KINDS.includes(object.kind) ? getExposedName(object) : object.name;
}

export function isServer({ object }: CompiledGateway): boolean {
  return SERVER_KINDS.includes(object.kind);
}

function isCalled(gateway: CompiledGateway, gatewayName: string): boolean {
  const { namespace, name } = gateway.object;
  return [name, `${namespace}/${name}`, displayName(gateway.object), formatGatewayName(gateway)].includes(gatewayName);
}
