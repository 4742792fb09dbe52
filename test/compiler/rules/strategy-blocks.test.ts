import { expect, test } from 'vitest';
import { gateway, gatewayConfig, judge } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);

test.each<[string, string[], string[]]>([
  [
    'strategies with the block of their type',
    [
      strategy('{ type: header_injection, headerInjection: { headerName: X, headerValueEnv: E } }'),
      strategy('{ type: unauthenticated }'),
    ],
    [],
  ],
  [
    'a strategy without its block',
    [strategy('{ type: token_exchange }')],
    ['LNT1010 error 7:45 type token_exchange needs the block "tokenExchange"'],
  ],
  [
    'a strategy with a further block',
    [strategy('{ type: upstream_inject, upstreamInject: { providerName: p }, awsSts: { region: eu-west-1 } }')],
    ['LNT1008 warning 7:116 awsSts has no effect: the type is upstream_inject'],
  ],
  [
    'strategies that spec.outgoingAuth overrules',
    [
      gateway(
        'incomingAuth: { type: anonymous }\n  outgoingAuth: {}\n  config: { outgoingAuth: { source: inline, default: { type: token_exchange } } }',
      ),
    ],
    [],
  ],
])('the rule strategyBlocks gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('strategyBlocks', ...objects)).toEqual(expected);
});
