import { expect, test } from 'vitest';
import { gateway, gatewayConfig, judge } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);

test.each<[string, string[], string[]]>([
  [
    'the block of the type, and none',
    [
      strategy('{ type: header_injection, headerInjection: { headerName: X, headerValueEnv: E } }'),
      strategy('{ type: unauthenticated }'),
    ],
    [],
  ],
  [
    'a missing block',
    [strategy('{ type: token_exchange }')],
    ['LNT1010 error 7:45 type token_exchange needs the block "tokenExchange"'],
  ],
  [
    'a block too many',
    [strategy('{ type: upstream_inject, upstreamInject: { providerName: p }, awsSts: { region: eu-west-1 } }')],
    ['LNT1008 warning 7:116 awsSts has no effect: the type is upstream_inject'],
  ],
  [
    'overruled strategies are not checked',
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
