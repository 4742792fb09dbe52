import type { OutgoingAuthPlan, PrivateDenial } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import type { Secrets } from '../secrets.ts';
import { CallerTokens, type TokenSource } from './caller-tokens.ts';
import type { OutgoingAuth } from './credential.ts';
import { createHeaderInjection } from './header-injection.ts';
import { createOboSource } from './obo.ts';
import type { OpenSecret } from './open-secret.ts';
import { createEndpointClient } from './token-endpoint.ts';
import { createTokenExchange } from './token-exchange.ts';
import { UNAUTHENTICATED } from './unauthenticated.ts';
import { createUpstreamInject } from './upstream-inject.ts';
import { createCrossAppAccess } from './xaa.ts';

export interface OutgoingAuthOptions {
  /** Name of the backend, for messages. */
  readonly backend: string;
  /** The secrets of the bundle. */
  readonly secrets: Pick<Secrets, 'open'>;
  /** Logs each role mapping that cannot be evaluated. */
  readonly log: Logger;
  /** Refuses token endpoints at private addresses. Default: allowed. */
  readonly denial?: PrivateDenial | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Creates a backend's authentication from its plan. Tokens are requested when the first request needs them; AWS code is loaded only for plans
 * that use it.
 *
 * @throws CredentialError for an invalid plan, such as an invalid header name or endpoint URL; SecretError for a missing secret
 */
export async function createOutgoingAuth(plan: OutgoingAuthPlan, options: OutgoingAuthOptions): Promise<OutgoingAuth> {
  const { backend, secrets, log, denial, now = Date.now } = options;
  const openSecret: OpenSecret = (source, what) =>
    secrets.open(source, `${what} in ${plan.type} for backend ${JSON.stringify(backend)}`);
  switch (plan.type) {
    case 'unauthenticated':
      return UNAUTHENTICATED;
    case 'header_injection':
      return createHeaderInjection(plan, openSecret);
    case 'upstream_inject':
      return createUpstreamInject(plan, now);
    case 'token_exchange':
      return createCallerTokens(client => createTokenExchange(plan, client, openSecret), now, denial);
    case 'obo':
      return createCallerTokens(client => createOboSource(plan, client, openSecret), now, denial);
    case 'xaa':
      return createCallerTokens(client => createCrossAppAccess(plan, client, openSecret), now, denial);
    case 'aws_sts': {
      const { createAwsSts } = await import('./aws/aws-sts.ts');
      return createAwsSts(plan, createEndpointClient(denial), log.child({ backend }), now);
    }
  }
}

type EndpointClient = ReturnType<typeof createEndpointClient>;

function createCallerTokens(
  createSource: (client: EndpointClient) => TokenSource,
  now: () => number,
  denial: PrivateDenial | undefined,
): OutgoingAuth {
  const client = createEndpointClient(denial);
  return new CallerTokens(createSource(client), client, now);
}
