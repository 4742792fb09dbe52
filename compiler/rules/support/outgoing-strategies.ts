import type { ConfigOutgoingAuth } from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';
import { gatewaySpec } from './gateway-spec.ts';

export type Strategy = NonNullable<ConfigOutgoingAuth['default']>;

export interface StrategyLocation {
  readonly strategy: Strategy;
  readonly path: Path;
}

/**
 * The strategies in a gateway's `config.outgoingAuth`: the default and those of single backends. Empty when `spec.outgoingAuth` takes
 * precedence.
 */
export function listStrategies(resource: Resource): readonly StrategyLocation[] {
  const spec = gatewaySpec(resource);
  const outgoing = spec?.config?.outgoingAuth;
  if (outgoing === undefined || spec?.outgoingAuth !== undefined) return [];
  const path = ['spec', 'config', 'outgoingAuth'];
  const backends = Object.entries(outgoing.backends ?? {});
  return [
    ...(outgoing.default === undefined ? [] : [{ strategy: outgoing.default, path: [...path, 'default'] }]),
    ...backends.map(([name, strategy]) => ({ strategy, path: [...path, 'backends', name] })),
  ];
}
