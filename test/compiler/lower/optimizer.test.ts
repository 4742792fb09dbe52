/** Which settings of the optimizer reach the runtime, and the URL of the embedding service. */
import { describe, expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { EmbeddingPlan, GatewayBundle, OptimizerPlan } from '#schemas';
import { listDestinations, resolveEgress } from '../../../compiler/emit/manifests/index.ts';
import { gatewayText } from '../manifests/build.ts';

const SERVER = `apiVersion: lintel.dev/v1beta1
kind: EmbeddingServer
metadata: { name: words, namespace: mcp }
spec: { port: 9000 }
`;

function lowered(spec: string): { readonly bundle: GatewayBundle; readonly findings: readonly string[] } {
  const text = gatewayText({ spec, objects: [SERVER] });
  const { gateways, findings } = compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const found = findings.diagnostics
    .filter(({ code }) => code !== 'LNT1034')
    .map(({ code, message }) => `${code} ${message}`);
  const bundle = gateways[0]?.bundle;
  if (bundle == null) throw new Error(found.join('\n'));
  return { bundle, findings: found };
}

const TEI: EmbeddingPlan = {
  ...{ provider: 'tei', url: 'http://words.mcp.svc.cluster.local:9000', model: null, headers: [], apiKey: null },
  ...{ timeoutMs: 30_000, addresses: 'any' },
};
const PLAN: OptimizerPlan = { maxTools: 8, semanticRatio: 0.5, distanceThreshold: 1 };

test.each<[spec: string, plan: OptimizerPlan | undefined]>([
  ['config: {}', undefined],
  ['config: { optimizer: {} }', PLAN],
  ['embeddingServerRef: { name: words }', { ...PLAN, embeddings: TEI }],
  [
    'embeddingServerRef: { name: words }\nconfig: { optimizer: { maxToolsToReturn: 3, embeddingServiceTimeout: 5s } }',
    { ...PLAN, maxTools: 3, embeddings: { ...TEI, timeoutMs: 5_000 } },
  ],
  [
    'config: { optimizer: { embeddingService: "http://words:8080/", hybridSearchSemanticRatio: "1.0", semanticDistanceThreshold: "0.4" } }',
    { ...PLAN, semanticRatio: 1, distanceThreshold: 0.4, embeddings: { ...TEI, url: 'http://words:8080' } },
  ],
  [
    'config: { optimizer: { embeddingProvider: openai, embeddingService: "https://api.example.com/v1", embeddingModel: small, embeddingHeaders: { X-Team: a, Api-Version: "2" } } }',
    {
      ...PLAN,
      embeddings: {
        ...TEI,
        provider: 'openai',
        url: 'https://api.example.com/v1',
        model: 'small',
        apiKey: { env: 'OPENAI_API_KEY', file: null },
        headers: [
          { name: 'api-version', value: '2' },
          { name: 'x-team', value: 'a' },
        ],
      },
    },
  ],
])('the bundle has the optimizer settings of %s', (spec, plan) => {
  const { bundle } = lowered(spec);
  expect(bundle.optimizer).toEqual(plan);
  expect(bundle.requires.includes('optimizer-embeddings')).toBe(plan?.embeddings !== undefined);
  // A self-hosted service accepts every client, so a missing key does not prevent a start.
  expect(bundle.secrets).toEqual([]);
});

test('the network policy allows the pods of a gateway to reach the embedding server of its optimizer', () => {
  const { bundle } = lowered('embeddingServerRef: { name: words }');
  const destination = listDestinations(bundle).find(({ url }) => url === TEI.url);
  expect(destination && resolveEgress(destination, 'mcp')).toMatchObject({
    to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mcp' } } }],
  });
});

describe('optimizer settings without effect', () => {
  test.each<[what: string, spec: string, findings: readonly string[]]>([
    [
      'a URL next to a reference to an EmbeddingServer',
      'embeddingServerRef: { name: words }\nconfig: { optimizer: { embeddingService: "http://other:8080" } }',
      ['LNT1008 embeddingService has no effect: spec.embeddingServerRef takes precedence'],
    ],
    [
      'a timeout without an embedding service',
      'config: { optimizer: { embeddingServiceTimeout: 5s } }',
      [
        'LNT3020 without embeddingServerRef or embeddingService tools are found by keywords alone',
        'LNT1008 spec.config.optimizer.embeddingServiceTimeout has no effect: neither embeddingServerRef nor embeddingService is set',
      ],
    ],
    [
      'an embedding service with a semantic ratio of 0',
      'config: { optimizer: { embeddingService: "http://other:8080", hybridSearchSemanticRatio: "0" } }',
      [
        'LNT1008 spec.config.optimizer.embeddingService has no effect: hybridSearchSemanticRatio is 0, so tools are found by keywords only',
      ],
    ],
    [
      'a reference to an EmbeddingServer with a semantic ratio of 0',
      'embeddingServerRef: { name: words }\nconfig: { optimizer: { hybridSearchSemanticRatio: "0.0" } }',
      [
        'LNT1008 spec.embeddingServerRef has no effect: hybridSearchSemanticRatio is 0, so tools are found by keywords only',
      ],
    ],
    [
      'a model for an EmbeddingServer that has one model',
      'embeddingServerRef: { name: words }\nconfig: { optimizer: { embeddingModel: small } }',
      ['LNT1008 spec.config.optimizer.embeddingModel has no effect: a service of provider tei has one model'],
    ],
  ])('the compiler reports an optimizer setting without effect: %s', (_, spec, expected) =>
    expect(lowered(spec).findings.toSorted()).toEqual(expected.toSorted()),
  );
});

test('an embedding service at a cloud metadata address is an error', () => {
  expect(() => lowered('config: { optimizer: { embeddingService: "http://169.254.169.254/" } }')).toThrow('LNT6');
});
