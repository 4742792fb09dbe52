/** Fields without a value: a warning, and then treated as absent, because the API server drops them at admission. */
import { describe, expect, test } from 'vitest';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import { withoutNulls } from '../../../compiler/check/nulls.ts';
import type { StructuralSchema } from '../../../schemas/index.ts';

const GROUP = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
`;

const GATEWAY = (fields: string) => `${GROUP}---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  ${fields}
`;

const SERVER = (fields: string) => `${GROUP}---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: notes }
spec:
  image: registry.example/notes:1.0.0
  groupRef: { name: tools }
  ${fields}
`;

const REGISTRY = (fields: string) => `sources:
  - name: own
    api: { endpoint: https://registry.example }
    syncPolicy: { interval: 1h }
registries:
  - name: public
    sources: [own]
auth:
  mode: anonymous
${fields}
`;

function compiled(text: string, purpose: 'check' | 'build' = 'check'): Compilation {
  return compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose,
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
}

function found(text: string): readonly string[] {
  return compiled(text)
    .findings.all.filter(({ code }) => ['LNT1004', 'LNT1010', 'LNT1025'].includes(code))
    .map(({ code, range, message, fix }) => `${code} ${range.start.line}:${range.start.column} ${message}; ${fix}`);
}

const DROPPED = 'has no value (null); the API server drops it, so it counts as absent';

test.each<[string, string, readonly string[]]>([
  ['a list', SERVER('env:'), [`LNT1025 11:3 "env" ${DROPPED}; remove it, or write a list after it`]],
  ['an object', GATEWAY('config:'), [`LNT1025 11:3 "config" ${DROPPED}; remove it, or write an object after it`]],
  [
    'a text inside of a list',
    GATEWAY('config: { aggregation: { tools: [{ workload: notes, overrides: { search: { name: ~ } } }] } }'),
    [`LNT1025 11:78 "name" ${DROPPED}; remove it, or write a string after it`],
  ],
  [
    'a value of a map',
    GATEWAY('config: { metadata: { team: null, place: here } }'),
    [`LNT1025 11:25 "team" ${DROPPED}; remove it, or write a string after it`],
  ],
  [
    'a field with a default',
    SERVER('transport: null'),
    [
      'LNT1025 11:3 "transport" has no value (null); the API server drops it, so its default "stdio" applies; remove it, or write one of "stdio", "streamable-http", "sse" after it',
    ],
  ],
  [
    'a field of any type',
    GATEWAY(
      'config: { compositeTools: [{ name: a, description: A, steps: [{ id: x, tool: b, defaultResults: null }] }] }',
    ),
    [`LNT1025 11:83 "defaultResults" ${DROPPED}; remove it, or write a value after it`],
  ],
  ['an optional spec', `${GROUP}spec:\n`, [`LNT1025 4:1 "spec" ${DROPPED}; remove it, or write an object after it`]],
  [
    'a required field',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPRemoteProxy\nmetadata: { name: notes }\nspec:\n  remoteUrl:\n',
    ['LNT1004 5:3 expected a string, found null; undefined'],
  ],
  [
    'a required spec',
    'apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nmetadata: { name: eng }\nspec:\n',
    ['LNT1004 4:1 expected an object, found null; undefined'],
  ],
  ['an item of a list', SERVER('args: [a, null]'), ['LNT1004 11:13 expected a string, found null; undefined']],
  [
    'a label and a timestamp',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools, creationTimestamp: null, labels: { team: null } }\n',
    ['LNT1004 3:67 expected a string, found null; undefined'],
  ],
  [
    'tool arguments and schemas, where null is a value',
    GATEWAY(`config:
    compositeTools:
      - name: a
        description: A
        parameters: { type: object, properties: { x: { enum: [null, y], default: null } } }
        steps: [{ id: x, tool: b, arguments: { a: null } }]
  podTemplateSpec: { spec: { containers: [{ name: vmcp, ports: null }] } }`),
    [],
  ],
  [
    'a field of a registry configuration',
    REGISTRY('telemetry:'),
    [
      'LNT1025 10:1 "telemetry" has no value (null); registry servers read it as none, so it counts as absent; remove it, or write an object after it',
    ],
  ],
])('lintel check reports a null field, or accepts null where it is a value: %s', (_, text, expected) => {
  expect(found(text)).toEqual(expected);
});

describe('objects with null fields', () => {
  test.each([
    ['gateway', GATEWAY('config:\n  serviceAccount:\n  replicas: ~'), GATEWAY('')],
    [
      'map',
      GATEWAY('config: { metadata: { team: null, place: here } }'),
      GATEWAY('config: { metadata: { place: here } }'),
    ],
    ['registry server', REGISTRY('telemetry:\naudit: null'), REGISTRY('')],
  ])(
    'the compiler builds a %s with null fields as it builds the same object without these fields',
    (_, withNulls, without) => {
      const [one, other] = [compiled(withNulls, 'build'), compiled(without, 'build')];
      expect(one.hasErrors).toBe(false);
      const bundles = ({ gateways, registries }: Compilation) =>
        [...gateways, ...registries].map(({ bundle }) => bundle);
      expect(bundles(one)).toEqual(bundles(other));
      expect(bundles(one)).not.toContain(null);
    },
  );
});

test('CEL rules treat a null field as absent', () => {
  const provider = (fields: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: login }
spec:
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: https://login.example
    upstreamProviders: [{ name: idp, type: oidc, ${fields} }]
`;
  const codes = (text: string) => compiled(text).findings.all.map(({ code }) => code);
  expect(codes(provider('oidcConfig: null'))).toEqual(expect.arrayContaining(['LNT1005', 'LNT1025']));
  const oidc = 'oidcConfig: { issuerUrl: https://idp.example, clientId: a }';
  expect(codes(provider(`${oidc}, oauth2Config: null`))).toContain('LNT1025');
  expect(codes(provider(`${oidc}, oauth2Config: null`))).not.toContain('LNT1005');
});

test('the compiler removes null fields from objects with a schema, keeps null in free-form fields, and does not copy unchanged values', () => {
  const schema: StructuralSchema = {
    type: 'object',
    required: ['must', 'set'],
    properties: {
      must: { type: 'string' },
      set: { type: 'string', default: 'x' },
      maybe: { type: 'string', nullable: true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    },
  };
  const free = { a: null };
  const same = { must: null, maybe: null, free, map: { a: 1 }, list: [null, { a: 'b' }], unknown: null };
  expect(withoutNulls(schema, same)).toEqual({ value: same, dropped: [] });
  expect(withoutNulls(schema, same).value).toBe(same);

  const map = JSON.parse('{ "__proto__": null, "b": 2 }');
  const { value, dropped } = withoutNulls(schema, { set: null, free, map, list: [{ a: null }], unknown: null });
  expect(value).toEqual({ free, map: { b: 2 }, list: [{}], unknown: null });
  expect((value as { free: unknown }).free).toBe(free);
  expect(dropped.map(({ path }) => path)).toEqual([['set'], ['map', '__proto__'], ['list', 0, 'a']]);
});
