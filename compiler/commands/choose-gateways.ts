import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { nearest } from '../text/nearest.ts';
import { UsageError } from '../usage-error.ts';
import { type Compiled, onlyErrors, renderFindings } from './compile-paths.ts';

/**
 * The gateways of the sources, or the one that is wanted.
 *
 * @param wanted `name` or `namespace/name`; all gateways when not given
 * @throws UsageError when there is no gateway, or none of that name
 */
export function chooseGateways({ gateways }: Compilation, wanted: string | undefined): readonly CompiledGateway[] {
  const names = gateways.map(gatewayName);
  if (names.length === 0)
    throw new UsageError('the sources describe no VirtualMCPServer, so there are no backends to ask');
  const chosen = gateways.filter(gateway => {
    const name = gatewayName(gateway);
    return wanted === undefined || name === wanted || name.endsWith(`/${wanted}`);
  });
  if (chosen.length > 0 || wanted === undefined) return chosen;
  const near = nearest(wanted, [...names, ...gateways.map(({ object }) => object.name)]);
  const hint = near === undefined ? `there are: ${names.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`no gateway is named "${wanted}"; ${hint}`);
}

/** @throws UsageError when there is none, or several and none was chosen */
export function onlyGateway(compiled: Compiled, wanted: string | undefined): CompiledGateway {
  const { compilation } = compiled;
  if (compilation.gateways.length === 0 && compilation.findings.counts.error > 0)
    process.stderr.write(`${renderFindings(onlyErrors(compiled), 'pretty', { stream: process.stderr })}\n`);
  const [only, ...others] = chooseGateways(compilation, wanted);
  if (only === undefined || others.length > 0) {
    const names = compilation.gateways.map(gatewayName).join(', ');
    throw new UsageError(`several gateways: choose one with --gateway: ${names}`);
  }
  return only;
}

export function gatewayName({ object }: CompiledGateway): string {
  return `${object.namespace}/${object.name}`;
}
