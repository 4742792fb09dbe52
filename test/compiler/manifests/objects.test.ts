/** Which objects run a gateway or registry server, and how they refer to each other. */
import { expect, test } from 'vitest';
import { generateManifests } from '#compiler';
import { computeDigest, DIGEST_ANNOTATION } from '#schemas';
import { builtFrom, CONFIG, findTemplate, gatewayText, manifestsFor, only, registryText } from './build.ts';

const namesOf = (text: string) =>
  manifestsFor(text).map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);

test.each<[what: string, text: string, expected: readonly string[]]>([
  [
    'a gateway',
    gatewayText(),
    [
      'ServiceAccount mcp/eng-vmcp',
      'ConfigMap mcp/eng-bundle-DIGEST',
      'NetworkPolicy mcp/eng',
      'Service mcp/vmcp-eng',
      'Deployment mcp/eng',
    ],
  ],
  [
    'a gateway with all settings',
    gatewayText({ spec: 'replicas: 2\nserviceAccount: own', annotations: '{ lintel.dev/network-policy: disabled }' }),
    ['ConfigMap mcp/eng-bundle-DIGEST', 'Service mcp/vmcp-eng', 'PodDisruptionBudget mcp/eng', 'Deployment mcp/eng'],
  ],
  [
    'a registry server',
    registryText(),
    [
      'ServiceAccount mcp/company-api',
      'ConfigMap mcp/company-api-bundle-DIGEST',
      'NetworkPolicy mcp/company-api',
      'Service mcp/company-api',
      'Deployment mcp/company-api',
    ],
  ],
])('the manifests of %s are in the order in which kubectl applies them', (_, text, expected) => {
  expect(namesOf(text).map(name => name.replace(/[0-9a-f]{16}$/, 'DIGEST'))).toEqual(expected);
});

test("the name and an annotation of a bundle's ConfigMap have the digest of the bundle's bytes, which the pods also name", () => {
  const manifests = manifestsFor(gatewayText());
  const { metadata, immutable, data } = only(manifests, 'ConfigMap');
  const digest = computeDigest((data as { 'bundle.json': string })['bundle.json']);
  expect(immutable).toBe(true);
  expect(metadata.annotations).toEqual({ [DIGEST_ANNOTATION]: digest });
  expect(metadata.name).toBe(`eng-bundle-${digest.slice(7, 23)}`);
  const { metadata: pod, spec } = findTemplate(manifests);
  expect(pod.annotations).toEqual({ [DIGEST_ANNOTATION]: digest });
  expect(spec.containers[0]?.args).toContain(`/etc/lintel/bundle/${digest.replace(':', '-')}`);
});

test('lintel build generates the same manifests for an unchanged bundle, and different manifests for different options', () => {
  const built = builtFrom(gatewayText());
  expect(generateManifests(built)).toBe(generateManifests(built));
  expect(generateManifests(built, { image: 'other' })).not.toBe(generateManifests(built));
  expect(findTemplate(generateManifests(built, { image: 'other' })).spec.containers[0]?.image).toBe('other');
});

test('lintel build writes no manifests for a registry configuration file without an MCPRegistry', () => {
  expect(manifestsFor(CONFIG)).toEqual([]);
});
