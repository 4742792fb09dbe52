import type { VirtualMCPServerSpec } from '#schemas';
import type { Incoming } from '../../../cdk8s/incoming-auth/incoming.ts';
import type { EntityClaims } from '../../../resolve/choose-incoming-auth.ts';
import { plain } from '../../typescript/code.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import type { EmittedIncoming } from './incoming.ts';

/**
 * Incoming authentication by the gateway's own authorization server. The program creates an `AuthServer` from the server and its issuer.
 *
 * @throws NotRepresentable
 */
export function emitAuthServerIncoming(
  { incomingAuth, config }: VirtualMCPServerSpec,
  authServerConfig: Required<VirtualMCPServerSpec>['authServerConfig'],
  groups: EntityClaims,
  { object, program }: EmitContext,
): EmittedIncoming {
  const reference = incomingAuth?.oidcConfigRef;
  const issuer = ['MCPOIDCConfig', reference?.name ?? ''] as const;
  const constant = program.findConstant(object, ...issuer);
  const isEmitted = constant !== undefined && program.findCallee(object, ...issuer) === 'new AuthServer';
  if (!isEmitted || reference === undefined || config?.incomingAuth !== undefined)
    throw new NotRepresentable(
      '`AuthServer` cannot express the whole authorization server of the gateway and its issuer.',
    );
  const incoming: Incoming = {
    knowsCallers: true,
    bind: () => ({ incomingAuth: { type: 'oidc', oidcConfigRef: reference }, authServerConfig, groups }),
  };
  return { incoming, code: plain(constant), path: ['spec', 'incomingAuth'] };
}
