import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { UsageError } from '../usage-error.ts';
import { chooseObjects, isServer, requireOne } from './choose-objects.ts';
import { type CompiledPaths, printErrors } from './compile-paths.ts';

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
  if (all.length === 0)
    throw new UsageError(
      `${formatSources(checked)} no VirtualMCPServer, and no server of a cluster that callers reach`,
    );
  const chosen = chooseObjects(all, gatewayName, 'gateway');
  if (gatewayName === undefined) return chosen;
  // A name without a kind means the gateway, if a gateway and an MCPServer or MCPRemoteProxy have this name.
  const ofGateways = chosen.filter(gateway => !isServer(gateway));
  return ofGateways.length > 0 ? ofGateways : chosen;
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
  if (gateways.length + servers.length === 0 && compilation.findings.counts.error > 0) printErrors(compiled);
  const isOfGateways = gatewayName === undefined && gateways.length > 0;
  const chosen = chooseGateways(isOfGateways ? { gateways, servers: [] } : compilation, gatewayName);
  return requireOne(chosen, 'gateway', '--gateway', [...gateways, ...servers]);
}
