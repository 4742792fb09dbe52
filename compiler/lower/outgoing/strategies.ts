/** All authentication strategies for backends, in both notations. */
import type { MCPExternalAuthConfigSpec, OutgoingAuthPlan, OutgoingStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { awsSts } from './aws-sts.ts';
import { lowerInlineHeader, referredHeader, referredToken } from './header-injection.ts';
import { lowerInlineObo, referredObo } from './obo.ts';
import { lowerInlineExchange, referredExchange } from './token-exchange.ts';
import { upstreamInject } from './upstream-inject.ts';
import { lowerInlineXaa, referredXaa } from './xaa.ts';

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
export function strategyPlan(
  strategy: Tracked<OutgoingStrategy>,
  upstreams: readonly string[],
): OutgoingAuthPlan | undefined {
  const type = strategy.get('type');
  if (type === 'unauthenticated') strategy.ignoreRest('type is unauthenticated');
  // A rule reports blocks of other types.
  else for (const block of BLOCKS) if (block !== BLOCK_OF[type]) strategy.get(block);
  return writtenPlan(strategy, type, upstreams);
}

function writtenPlan(
  strategy: Tracked<OutgoingStrategy>,
  type: OutgoingStrategy['type'],
  upstreams: readonly string[],
): OutgoingAuthPlan | undefined {
  switch (type) {
    case 'unauthenticated':
      return UNAUTHENTICATED;
    case 'header_injection':
      return within(strategy.child('headerInjection'), lowerInlineHeader);
    case 'token_exchange':
      return within(strategy.child('tokenExchange'), block => lowerInlineExchange(block, upstreams));
    case 'upstream_inject':
      return within(strategy.child('upstreamInject'), upstreamInject);
    case 'aws_sts':
      return within(strategy.child('awsSts'), block => awsSts(block, upstreams));
    case 'obo':
      return within(strategy.child('obo'), lowerInlineObo);
    case 'xaa':
      return within(strategy.child('xaa'), block => lowerInlineXaa(block, upstreams));
  }
}

/** The same for an MCPExternalAuthConfig; `name` is its name, which the variables of its secrets contain. */
export function configPlan(
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
      return within(config.child('bearerToken'), block => referredToken(block, name));
    case 'headerInjection':
      return within(config.child('headerInjection'), block => referredHeader(block, name));
    case 'tokenExchange':
      return within(config.child('tokenExchange'), block => referredExchange(block, name, upstreams));
    case 'upstreamInject':
      return within(config.child('upstreamInject'), upstreamInject);
    case 'awsSts':
      return within(config.child('awsSts'), block => awsSts(block, upstreams));
    case 'obo':
      return within(config.child('obo'), block => referredObo(block, name));
    case 'xaa':
      return within(config.child('xaa'), block => referredXaa(block, name, upstreams));
  }
}

/** A missing block is an error of its own. */
function within<B extends object>(
  block: Tracked<B> | undefined,
  lower: (block: Tracked<B>) => OutgoingAuthPlan | undefined,
): OutgoingAuthPlan | undefined {
  return block && lower(block);
}
