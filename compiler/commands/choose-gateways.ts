import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { exposedName } from '../servers/exposed-name.ts';
import { nearest } from '../text/nearest.ts';
import { UsageError } from '../usage-error.ts';
import { type Compiled, onlyErrors, renderFindings } from './compile-paths.ts';

const SERVER_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy'];

/**
 * The gateways of the sources and the servers of a cluster, each behind a gateway of its own; or the one that is wanted.
 *
 * @param wanted `name` or `namespace/name`, of a server also `MCPServer/name`; all when not given
 * @throws UsageError when there is none, or none of that name
 */
export function chooseGateways(
  { gateways, servers }: Pick<Compilation, 'gateways' | 'servers'>,
  wanted: string | undefined,
): readonly CompiledGateway[] {
  const all = [...gateways, ...servers];
  const names = all.map(gatewayName);
  if (names.length === 0)
    throw new UsageError('the sources describe no VirtualMCPServer, and no server of a cluster that callers reach');
  if (wanted === undefined) return all;
  const chosen = all.filter(gateway => isCalled(gateway, wanted));
  // Next to a gateway of that name, a server is meant by its kind alone.
  const [first, ...others] = chosen.filter(gateway => !isServer(gateway));
  if (first !== undefined) return [first, ...others];
  if (chosen.length > 0) return chosen;
  const near = nearest(wanted, [...names, ...all.map(({ object }) => object.name)]);
  const hint = near === undefined ? `there are: ${names.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`no gateway is named "${wanted}"; ${hint}`);
}

/**
 * A single gateway is the one that is meant, whatever servers stand next to it.
 *
 * @throws UsageError when there is none, or several and none was chosen
 */
export function onlyGateway(compiled: Compiled, wanted: string | undefined): CompiledGateway {
  const { compilation } = compiled;
  const { gateways, servers } = compilation;
  if (gateways.length + servers.length === 0 && compilation.findings.counts.error > 0)
    process.stderr.write(`${renderFindings(onlyErrors(compiled), 'pretty', { stream: process.stderr })}\n`);
  const isOfGateways = wanted === undefined && gateways.length > 0;
  const [only, ...others] = chooseGateways(isOfGateways ? { gateways, servers: [] } : compilation, wanted);
  if (only === undefined || others.length > 0) {
    const names = [...gateways, ...servers].map(gatewayName).join(', ');
    throw new UsageError(`several gateways: choose one with --gateway: ${names}`);
  }
  return only;
}

/** `namespace/name`, of a server with its kind. */
export function gatewayName({ object }: CompiledGateway): string {
  return `${object.namespace}/${displayName(object)}`;
}

/** As people see it: a server may have the name of a gateway. */
export function displayName(object: CompiledGateway['object']): string {
  return SERVER_KINDS.includes(object.kind) ? exposedName(object) : object.name;
}

export function isServer({ object }: CompiledGateway): boolean {
  return SERVER_KINDS.includes(object.kind);
}

function isCalled(gateway: CompiledGateway, wanted: string): boolean {
  const { namespace, name } = gateway.object;
  return [name, `${namespace}/${name}`, displayName(gateway.object), gatewayName(gateway)].includes(wanted);
}
