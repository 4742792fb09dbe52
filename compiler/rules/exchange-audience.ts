import type { MCPExternalAuthConfigSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { audienceOf, chosenIncomingAuth } from '../resolve/chosen-incoming-auth.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './gateway-spec.ts';
import { strategiesOf } from './outgoing-strategies.ts';

/** A token for a backend that is also one for the gateway could be sent back to it. */
export function exchangeAudience(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  const oidc = spec && chosenIncomingAuth(spec).oidc;
  if (oidc === undefined) return [];
  const incoming = audienceOf(oidc);
  return audiencesOf(resource, inventory)
    .filter(({ audience }) => audience === incoming)
    .map(({ path }) => {
      const message = `the token for the backend has the audience of the gateway itself, "${incoming}", so the backend could use it here`;
      return diagnose(resource.document, 'LNT6005', path, message);
    });
}

interface Exchange {
  readonly audience: string | undefined;
  readonly path: Path;
}

function audiencesOf(resource: Resource, inventory: Inventory): Exchange[] {
  const written = strategiesOf(resource).flatMap(({ strategy, path }) =>
    strategy.type === 'token_exchange'
      ? [{ audience: strategy.tokenExchange?.audience, path: [...path, 'tokenExchange', 'audience'] }]
      : [],
  );
  const { default: fallback, backends = {} } = gatewaySpec(resource)?.outgoingAuth ?? {};
  const entries = [
    ...(fallback === undefined ? [] : [[['default'], fallback] as const]),
    ...Object.entries(backends).map(([name, entry]) => [['backends', name], entry] as const),
  ];
  const referenced = entries.flatMap(([at, { type, externalAuthConfigRef: ref }]) => {
    if (type !== 'externalAuthConfigRef' || ref === undefined) return [];
    const kind = 'MCPExternalAuthConfig';
    const config = inventory.find<MCPExternalAuthConfigSpec>(kind, resource.namespace, ref.name);
    const path = ['spec', 'outgoingAuth', ...at, 'externalAuthConfigRef', 'name'];
    return [{ audience: config?.spec.tokenExchange?.audience, path }];
  });
  return [...written, ...referenced];
}
