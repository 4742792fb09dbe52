import { describe, expect, test } from 'vitest';
import { type Compilation, createCompiler, SourceText } from '#compiler';
import { ClusterInputs, findNamespaces, INPUT_KINDS } from '../../../controller/cluster-inputs/index.ts';
import { formatClusterObject } from '../../../controller/cluster-inputs/object-text.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { FilledCache } from '../../support/object-cache.ts';

interface Given {
  readonly kind?: string;
  readonly namespace?: string;
  readonly apiVersion?: string;
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

/** A member of the group `tools`, as the API server returns it. */
function entry(name: string, { metadata, namespace = 'a', ...more }: Given = {}): KubeObject {
  return {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'MCPServerEntry',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { transport: 'streamable-http', remoteUrl: `https://${name}.example.com/mcp`, groupRef: { name: 'tools' } },
    status: { phase: 'Valid' },
    ...more,
  };
}

function source(entries: readonly object[], more: object = {}): KubeObject {
  const metadata = { name: 'prod', namespace: 'team' };
  return {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'GatewaySource',
    metadata,
    status: { inventory: { entries } },
    ...more,
  };
}

function setUp(objects: readonly KubeObject[], sources: readonly KubeObject[] = []) {
  const caches = {
    objects: new FilledCache(objects),
    configMaps: new FilledCache(),
    sources: new FilledCache(sources),
  };
  return { ...caches, inputs: new ClusterInputs({ ...caches, objects: [caches.objects] }) };
}

const files = (inputs: ClusterInputs, ...namespaces: string[]) => [...inputs.collectInputs(namespaces).texts.keys()];

test('a compilation reads from the cluster only objects of kinds to which gateways refer', () => {
  expect(INPUT_KINDS.toSorted()).toEqual([
    'EmbeddingServer',
    'MCPAuthzConfig',
    'MCPExternalAuthConfig',
    'MCPGroup',
    'MCPOIDCConfig',
    'MCPRemoteProxy',
    'MCPServer',
    'MCPServerEntry',
    'MCPTelemetryConfig',
    'MCPToolConfig',
    'VirtualMCPCompositeToolDefinition',
  ]);
});

describe('texts', () => {
  test('the compiler gets the text of a cluster object without the fields that only the API server and kubectl write', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'a' };
    expect(
      formatClusterObject(entry('api', { metadata: { annotations, labels: { b: '2', a: '1' }, managedFields: [{}] } })),
    ).toBe(`{
  "apiVersion": "lintel.dev/v1beta1",
  "kind": "MCPServerEntry",
  "metadata": {
    "name": "api",
    "namespace": "a",
    "labels": {
      "a": "1",
      "b": "2"
    },
    "annotations": {
      "team": "a"
    }
  },
  "spec": {
    "groupRef": {
      "name": "tools"
    },
    "remoteUrl": "https://api.example.com/mcp",
    "transport": "streamable-http"
  }
}
`);
  });

  test('the compiler gets a ConfigMap of the cluster with its data, and without its binary data', () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'rules', namespace: 'a' },
      data: { x: 'permit' },
    };
    expect(JSON.parse(formatClusterObject({ ...map, binaryData: { y: 'AA==' } }))).toEqual(map);
  });
});

describe('which objects', () => {
  const inventory = (uid: string, id = 'a_api_lintel.dev_MCPServerEntry') => [{ id, v: 'v1beta1', uid }];

  test.each<
    [name: string, objects: readonly KubeObject[], sources: readonly KubeObject[], expected: readonly string[]]
  >([
    ['the namespace has no objects', [], [], []],
    ['objects are sorted', [entry('b'), entry('a')], [], ['cluster:MCPServerEntry/a/a', 'cluster:MCPServerEntry/a/b']],
    ['not an object of another namespace', [entry('api', { namespace: 'b' })], [], []],
    [
      'not an object that is being deleted',
      [entry('api', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
      [],
      [],
    ],
    ['not an object that a source applied', [entry('api')], [source(inventory('uid-api'))], []],
    ['not an object that a source is creating', [entry('api')], [source(inventory(''))], []],
    [
      'an object that a person created again',
      [entry('api')],
      [source(inventory('uid-former'))],
      ['cluster:MCPServerEntry/a/api'],
    ],
    [
      'an object whose name a source uses in another API group',
      [entry('api')],
      [source(inventory('uid-api', 'a_api_toolhive.stacklok.dev_MCPServerEntry'))],
      ['cluster:MCPServerEntry/a/api'],
    ],
    ['a source without status', [entry('api')], [source([], { status: undefined })], ['cluster:MCPServerEntry/a/api']],
  ])(
    'a compilation takes the expected objects of a namespace from the cluster: %s',
    (_, objects, sources, expected) => {
      expect(files(setUp(objects, sources).inputs, 'a')).toEqual(expected);
    },
  );

  test('of two objects with the same kind and name, a compilation takes the object of the API group lintel.dev', () => {
    const foreign = entry('api', { apiVersion: 'toolhive.stacklok.dev/v1beta1', metadata: { uid: 'other' } });
    const caches = [new FilledCache([foreign]), new FilledCache([entry('api')])];
    const inputs = new ClusterInputs({ objects: caches, configMaps: new FilledCache(), sources: new FilledCache() });
    expect([...inputs.collectInputs(['a']).texts.values()].map(text => JSON.parse(text).apiVersion)).toEqual([
      'lintel.dev/v1beta1',
    ]);
  });

  test('a compilation also takes ConfigMaps from the cluster, although they are in a different cache than other objects', () => {
    const { inputs, configMaps } = setUp([]);
    configMaps.set({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rules', namespace: 'a' }, data: {} });
    expect(files(inputs, 'a', 'a')).toEqual(['cluster:ConfigMap/a/rules']);
  });
});

describe('what has changed', () => {
  test('the cluster inputs of a compilation stay the same object in memory while no input changes', () => {
    const { inputs, objects } = setUp([entry('api')]);
    const before = inputs.collectInputs(['a']);
    objects.set(entry('api', { status: { phase: 'Failed' }, metadata: { resourceVersion: '8' } }));
    expect(inputs.collectInputs(['a'])).toBe(before);
  });

  test('the digest of the cluster inputs changes with a changed, added or removed object', () => {
    const { inputs, objects } = setUp([entry('api')]);
    const digests = [inputs.collectInputs(['a']).digest];
    const then = (change: () => void) => {
      change();
      digests.push(inputs.collectInputs(['a']).digest);
    };
    then(() => objects.set(entry('api', { spec: { remoteUrl: 'https://x.example.com' } })));
    then(() => objects.set(entry('more')));
    then(() => objects.delete('a', 'api'));
    expect(new Set(digests).size).toBe(4);
  });

  test('a compilation no longer takes an object from the cluster when the object is in the inventory of a source', () => {
    const { inputs, sources } = setUp([entry('api')]);
    expect(files(inputs, 'a')).toHaveLength(1);
    sources.set(source([{ id: 'a_api_lintel.dev_MCPServerEntry', v: 'v1beta1', uid: 'uid-api' }]));
    expect(files(inputs, 'a')).toEqual([]);
  });

  test('listeners of the cluster inputs receive the namespace of a changed object, and no event for a change of status', () => {
    const { inputs, objects } = setUp([entry('api')]);
    const heard: string[] = [];
    const stop = inputs.onChange(namespace => heard.push(namespace));
    objects.set(entry('api', { status: {} }));
    expect(heard).toEqual([]);
    objects.set(entry('api', { spec: {} }));
    objects.set(entry('new', { namespace: 'b' }));
    objects.set(entry('api', { spec: {}, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    objects.delete('a', 'api');
    expect(heard).toEqual(['a', 'b', 'a']);
    stop();
    objects.delete('b', 'new');
    inputs.stop();
    expect(heard).toHaveLength(3);
  });
});

test.each([
  ['the namespace of the source', {}, [], ['team']],
  [
    'the namespaces of its gateways',
    { status: { gateways: [{ namespace: 'b' }, { namespace: 'a' }, { namespace: 'b' }] } },
    [],
    ['a', 'b', 'team'],
  ],
  ['the namespaces of its new gateways', {}, ['z', 'a'], ['a', 'team', 'z']],
  [
    'only targetNamespace if the source has one',
    { spec: { targetNamespace: 'only' }, status: { gateways: [{ namespace: 'b' }] } },
    ['z'],
    ['only'],
  ],
])('a compilation of a source takes objects of the cluster from %s', (_, more, compiled, expected) => {
  expect(
    findNamespaces({ metadata: { namespace: 'team' }, ...more } as Parameters<typeof findNamespaces>[0], compiled),
  ).toEqual(expected);
});

describe('with the incremental compiler', () => {
  const gateway = (namespace: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools, namespace: ${namespace} }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng, namespace: ${namespace} }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;
  const server = (namespace: string, image: string): KubeObject => ({
    ...entry('github', { namespace }),
    kind: 'MCPServer',
    spec: { image, transport: 'streamable-http', proxyPort: 8080, groupRef: { name: 'tools' } },
  });

  test('a change of one MCPServer in the cluster compiles only the gateways that use it', () => {
    const { inputs, objects } = setUp([server('a', 'github:1'), server('b', 'github:1')]);
    const compiler = createCompiler();
    const compiled = (): Compilation => {
      const repository = ['a', 'b'].map(namespace => new SourceText(`${namespace}.yaml`, gateway(namespace)));
      const cluster = [...inputs.collectInputs(['a', 'b']).texts].map(([file, text]) => new SourceText(file, text));
      const sources = compiler.readTexts([...repository, ...cluster]);
      return compiler.compile(sources, {
        purpose: 'build',
        origin: { compilerVersion: '0.0.0', sourceRevision: null },
      });
    };
    const first = compiled();
    expect(first.gateways.map(({ bundle }) => bundle?.backends.map(({ name }) => name))).toEqual([
      ['github'],
      ['github'],
    ]);

    objects.set({ ...server('a', 'github:1'), status: { phase: 'Running' } });
    expect(compiled()).toBe(first);

    const moved = server('a', 'github:1');
    objects.set({ ...moved, spec: { ...(moved.spec as object), proxyPort: 9090 } });
    const second = compiled();
    const again = second.gateways.filter(({ bundle }, index) => bundle !== first.gateways[index]?.bundle);
    expect(again.map(({ object }) => object.namespace)).toEqual(['a']);
  });

  test('a finding in an object of the cluster names the object', () => {
    const { inputs } = setUp([{ ...server('a', 'x'), spec: { image: 'x', transport: 'morse' } }]);
    const compiler = createCompiler();
    const texts = [...inputs.collectInputs(['a']).texts].map(([file, text]) => new SourceText(file, text));
    const { findings } = compiler.compile(compiler.readTexts(texts), {
      purpose: 'build',
      origin: { compilerVersion: '0.0.0', sourceRevision: null },
    });
    expect(findings.all.map(({ code, file, range }) => `${code} ${file}:${range.start.line}`)).toContain(
      'LNT1011 cluster:MCPServer/a/github:10',
    );
  });
});
