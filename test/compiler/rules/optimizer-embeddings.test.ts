import { expect, test } from 'vitest';
import { gateway, gatewayConfig, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'one complete source of embeddings',
    [
      gatewayConfig('{ optimizer: { embeddingService: http://e } }'),
      gateway('incomingAuth: { type: anonymous }\n  embeddingServerRef: { name: e }\n  config: { optimizer: {} }'),
      gatewayConfig('{ optimizer: { embeddingProvider: openai, embeddingService: http://e, embeddingModel: m } }'),
      gatewayConfig('{}'),
    ],
    [],
  ],
  [
    'embeddingServerRef and embeddingService',
    [
      gateway(
        'incomingAuth: { type: anonymous }\n  embeddingServerRef: { name: e }\n  config: { optimizer: { embeddingService: http://e } }',
      ),
    ],
    ['LNT1008 warning 8:26 embeddingService has no effect: spec.embeddingServerRef takes precedence'],
  ],
  [
    'no source of embeddings',
    [gatewayConfig('{ optimizer: {} }')],
    ['LNT3020 hint 7:13 without embeddingServerRef or embeddingService tools are found by keywords alone'],
  ],
  [
    'the provider openai without settings',
    [gatewayConfig('{ optimizer: { embeddingProvider: openai } }')],
    [
      'LNT1010 error 7:13 embeddingProvider openai needs embeddingService',
      'LNT1010 warning 7:13 embeddingProvider openai needs embeddingModel',
    ],
  ],
])('the rule optimizerEmbeddings gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('optimizerEmbeddings', ...objects)).toEqual(expected);
});
