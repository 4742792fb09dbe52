/** All authentication strategies for backends, in their notation in `config.outgoingAuth` and in that of MCPExternalAuthConfigs. */
import type { MCPExternalAuthConfigSpec, OutgoingAuthPlan, OutgoingStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerAwsSts } from './aws-sts.ts';
import { lowerInlineHeader, lowerReferredHeader, lowerReferredToken } from './header-injection.ts';
import { lowerInlineObo, lowerReferredObo } from './obo.ts';
import { lowerInlineExchange, lowerReferredExchange } from './token-exchange.ts';
import { lowerUpstreamInject } from './upstream-inject.ts';
import { lowerInlineXaa, lowerReferredXaa } from './xaa.ts';

const UNAUTHENTICATED: OutgoingAuthPlan = { type: 'unauthenticated' };

const BLOCK_OF = {
  header_injection: 'headerInjection',
  token_exchange: 'tokenExchange',
  upstream_inject: 'upstreamInject',
  aws_sts: 'awsSts',
  obo: 'obo',
  xaa: 'xaa',
} as const;

const BLOCKS = Object.values(BLOCK_OF);

/** Strategies that only the proxy of a single server supports. */
export type ProxyOnly = 'bearerToken' | 'embeddedAuthServer';

export type GatewayAuthType = Exclude<MCPExternalAuthConfigSpec['type'], ProxyOnly>;

/** In the order of suggestions in findings. */
export const GATEWAY_AUTH_TYPES: readonly GatewayAuthType[] = [
  'headerInjection',
  'tokenExchange',
  'upstreamInject',
  'awsSts',
  'obo',
  'xaa',
  'unauthenticated',
];

export function isGatewayAuthType(type: string): type is GatewayAuthType {
  return (GATEWAY_AUTH_TYPES as readonly string[]).includes(type);
}

/**
 * A strategy of `config.outgoingAuth`. Undefined when it is incomplete or contains a plain-text secret, which a rule reports.
 *
 * @param upstreams of the gateway's authorization server, in order
 */
export function lowerStrategy(
  strategy: Tracked<OutgoingStrategy>,
  upstreams: readonly string[],
): OutgoingAuthPlan | undefined {
  const type = strategy.get('type');
  if (type === 'unauthenticated') strategy.ignoreRest('type is unauthenticated');
  // A rule reports blocks of other types.
  else for (const block of BLOCKS) if (block !== BLOCK_OF[type]) strategy.get(block);
  return lowerInlineStrategy(strategy, type, upstreams);
}

function lowerInlineStrategy(
  strategy: Tracked<OutgoingStrategy>,
  type: OutgoingStrategy['type'],
  upstreams: readonly string[],
): OutgoingAuthPlan | undefined {
  switch (type) {
    case 'unauthenticated':
      return UNAUTHENTICATED;
    case 'header_injection':
      return lowerWithin(strategy.child('headerInjection'), lowerInlineHeader);
    case 'token_exchange':
      return lowerWithin(strategy.child('tokenExchange'), block => lowerInlineExchange(block, upstreams));
    case 'upstream_inject':
      return lowerWithin(strategy.child('upstreamInject'), lowerUpstreamInject);
    case 'aws_sts':
      return lowerWithin(strategy.child('awsSts'), block => lowerAwsSts(block, upstreams));
    case 'obo':
      return lowerWithin(strategy.child('obo'), lowerInlineObo);
    case 'xaa':
      return lowerWithin(strategy.child('xaa'), block => lowerInlineXaa(block, upstreams));
  }
}

/** Does the same as `lowerStrategy` for an MCPExternalAuthConfig; `name` is its name, which the variables of its secrets contain. */
export function lowerAuthConfig(
  config: Tracked<MCPExternalAuthConfigSpec>,
  type: GatewayAuthType | 'bearerToken',
  name: string,
  upstreams: readonly string[],
): OutgoingAuthPlan | undefined {
  config.get('type');
  switch (type) {
    case 'unauthenticated':
      return UNAUTHENTICATED;
    case 'bearerToken':
      return lowerWithin(config.child('bearerToken'), block => lowerReferredToken(block, name));
    case 'headerInjection':
      return lowerWithin(config.child('headerInjection'), block => lowerReferredHeader(block, name));
    case 'tokenExchange':
      return lowerWithin(config.child('tokenExchange'), block => lowerReferredExchange(block, name, upstreams));
    case 'upstreamInject':
      return lowerWithin(config.child('upstreamInject'), lowerUpstreamInject);
    case 'awsSts':
      return lowerWithin(config.child('awsSts'), block => lowerAwsSts(block, upstreams));
    case 'obo':
      return lowerWithin(config.child('obo'), block => lowerReferredObo(block, name));
    case 'xaa':
      return lowerWithin(config.child('xaa'), block => lowerReferredXaa(block, name, upstreams));
  }
}

/** A missing block is reported as an error of its own. */
function lowerWithin<B extends object>(
  block: Tracked<B> | undefined,
  lower: (block: Tracked<B>) => OutgoingAuthPlan | undefined,
): OutgoingAuthPlan | undefined {
  return block && lower(block);
}
