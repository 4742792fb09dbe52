/** The names of objects in a cluster are the plain names where those are valid. They are always valid, and never equal for two objects. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildObjectNames,
  buildSelectorLabels,
  formatBundleConfigMapName,
  formatServiceUrl,
  toDnsLabel,
  type WorkloadKind,
} from '#schemas';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const LONG = 'a'.repeat(253);

test.each<[kind: WorkloadKind, name: string, expected: readonly string[]]>([
  ['gateway', 'eng', ['eng', 'vmcp-eng', 'eng-vmcp', 'eng-bundle-0123456789abcdef']],
  ['registry', 'company', ['company-api', 'company-api', 'company-api', 'company-api-bundle-0123456789abcdef']],
  // A Service's name is one label of a DNS name: no dots, a letter first, 63 characters.
  ['gateway', 'a.b', ['a.b', 'vmcp-a-b-d38a3246', 'a.b-vmcp', 'a.b-bundle-0123456789abcdef']],
  ['gateway', '1st', ['1st', 'vmcp-1st', '1st-vmcp', '1st-bundle-0123456789abcdef']],
  ['registry', '1st', ['1st-api', 'n-1st-api-a382ae92', '1st-api', '1st-api-bundle-0123456789abcdef']],
  [
    'gateway',
    'b'.repeat(58),
    ['b'.repeat(58), `vmcp-${'b'.repeat(58)}`, `${'b'.repeat(58)}-vmcp`, `${'b'.repeat(58)}-bundle-0123456789abcdef`],
  ],
  [
    'gateway',
    LONG,
    [
      `${'a'.repeat(233)}-32859a3a`,
      `vmcp-${'a'.repeat(49)}-8fb2ba96`,
      `${'a'.repeat(244)}-84bfc6e7`,
      `${'a'.repeat(220)}-32859a3a-bundle-0123456789abcdef`,
    ],
  ],
])('the Kubernetes objects of a %s get valid names from its name: case %#', (kind, name, expected) => {
  const { deployment, service, serviceAccount } = buildObjectNames({ kind, name });
  expect([deployment, service, serviceAccount, formatBundleConfigMapName({ kind, name }, DIGEST)]).toEqual(expected);
});

test('the ConfigMaps of a bundle that is split into several parts have numbered names', () => {
  expect(formatBundleConfigMapName({ kind: 'gateway', name: 'eng' }, DIGEST, 12)).toBe(
    'eng-bundle-0123456789abcdef-12',
  );
});

test.each<[kind: WorkloadKind, name: string, url: string]>([
  ['gateway', 'eng', 'http://vmcp-eng.mcp.svc.cluster.local:4483'],
  ['gateway', 'a.b', 'http://vmcp-a-b-d38a3246.mcp.svc.cluster.local:4483'],
  ['registry', 'company', 'http://company-api.mcp.svc.cluster.local:8080'],
])('the URL of the Service of a %s follows from its name: %s', (kind, name, url) => {
  expect(formatServiceUrl(kind, 'mcp', name)).toBe(url);
});

test('the selector labels of a gateway and a registry server have their name and kind', () => {
  expect(buildSelectorLabels({ kind: 'gateway', name: 'eng' })).toEqual({
    'app.kubernetes.io/instance': 'eng',
    'app.kubernetes.io/managed-by': 'lintel',
    'app.kubernetes.io/name': 'virtualmcpserver',
  });
  expect(buildSelectorLabels({ kind: 'registry', name: 'eng' })['app.kubernetes.io/name']).toBe('mcpregistry');
});

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const SERVICE = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Every valid object name (RFC 1123), including long, dotted and similar ones. */
const names = fc
  .array(
    fc.stringMatching(new RegExp(`^${LABEL}$`)).filter(label => label.length <= 63),
    { minLength: 1, maxLength: 12 },
  )
  .map(labels => labels.join('.'))
  .filter(name => name.length <= 253);

const kinds = fc.constantFrom<WorkloadKind>('gateway', 'registry');

const PROPERTY = { seed: 20_261_122, numRuns: 2_000 };

test('the objects of a gateway or registry server have valid names for any valid name of the gateway or registry server', () => {
  fc.assert(
    fc.property(kinds, names, (kind, name) => {
      const { deployment, service, serviceAccount } = buildObjectNames({ kind, name });
      const bundle = formatBundleConfigMapName({ kind, name }, DIGEST, 999);
      for (const one of [deployment, serviceAccount, bundle]) {
        expect(one).toMatch(SUBDOMAIN);
        expect(one.length).toBeLessThanOrEqual(253);
      }
      // A ReplicaSet's name is ten characters and a dash longer.
      expect(deployment.length).toBeLessThanOrEqual(242);
      expect(service).toMatch(SERVICE);
      expect(toDnsLabel(`lintel-secret-${name}`)).toMatch(SERVICE);
      for (const value of Object.values(buildSelectorLabels({ kind, name }))) expect(value).toMatch(LABEL_VALUE);
      expect(URL.parse(formatServiceUrl(kind, 'mcp', name))?.hostname).toBe(`${service}.mcp.svc.cluster.local`);
    }),
    PROPERTY,
  );
});

/** Two names that could collide: they differ by a dot, or in the part that is cut off. */
const alike = fc.tuple(names, fc.nat(), fc.constantFrom('.', '-', 'x')).map(([name, place, character]) => {
  const at = 1 + (place % Math.max(1, name.length - 2));
  return [name, `${name.slice(0, at)}${character}${name.slice(at + 1)}`] as const;
});

test('two gateways or registry servers never share the name of an object', () => {
  fc.assert(
    fc.property(kinds, alike, (kind, [a, b]) => {
      fc.pre(a !== b && SUBDOMAIN.test(b));
      const [one, two] = [buildObjectNames({ kind, name: a }), buildObjectNames({ kind, name: b })];
      expect(one.deployment).not.toBe(two.deployment);
      expect(one.service).not.toBe(two.service);
      expect(one.serviceAccount).not.toBe(two.serviceAccount);
      expect(buildSelectorLabels({ kind, name: a })).not.toEqual(buildSelectorLabels({ kind, name: b }));
    }),
    PROPERTY,
  );
});
