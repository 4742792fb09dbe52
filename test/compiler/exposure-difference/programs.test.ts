/** `lintel diff` reports changes of what runs behind a gateway: images, programs and their settings, which are in no bundle of the gateway. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { diffExposure, type Exposure } from '#compiler';
import { KINDS_FILE } from '#schemas';
import { describeResource } from '../../../compiler/analysis/exposure/workload.ts';
import { Inventory, type Resource } from '../../../compiler/resolve/inventory.ts';
import { buildSample } from '../../support/sample.ts';
import { compiled } from '../exposure/sample.ts';

const TOOLHIVE = 'toolhive.stacklok.dev';
const LINTEL = 'lintel.dev';

const object = (kind: string, name: string, spec: unknown, group = LINTEL) => ({
  apiVersion: `${group}/v1beta1`,
  kind,
  metadata: { name },
  spec,
});

type TestObject = ReturnType<typeof object>;

const GATEWAY = object('VirtualMCPServer', 'gw', {
  groupRef: { name: 'tools' },
  incomingAuth: { type: 'anonymous' },
});

/** The exposure of the only gateway; if the objects contain none, of a gateway without settings. */
function exposureOf(...objects: readonly TestObject[]): Exposure {
  const group = object('MCPGroup', 'tools', {});
  const others = objects.some(({ kind }) => kind === 'VirtualMCPServer') ? [group] : [group, GATEWAY];
  const { gateways, findings } = compiled([...others, ...objects].map(one => stringify(one)).join('---\n'), undefined);
  const exposure = gateways[0]?.exposure();
  if (exposure === null || exposure === undefined)
    throw new Error(`no exposure: ${JSON.stringify(findings.diagnostics)}`);
  return exposure;
}

function compare(before: readonly TestObject[], after: readonly TestObject[]) {
  const { classification, changes } = diffExposure(exposureOf(...before), exposureOf(...after));
  const aspects = changes.flatMap(change => change.aspects.map(({ name, alarm }) => [name, alarm ?? null] as const));
  return { classification, aspects, alarms: [...new Set(changes.flatMap(({ alarms }) => alarms))] };
}

const server = (spec: object, group = LINTEL) =>
  object('MCPServer', 'pg', { groupRef: { name: 'tools' }, ...spec }, group);

const IMAGE = { image: 'registry.example.com/pg:1', transport: 'streamable-http' };
const SECRET = { secrets: [{ name: 'pg', key: 'url', targetEnvName: 'PG_URL' }] };

describe.each([LINTEL, TOOLHIVE])('a server of %s', group => {
  test('lintel diff classifies a new image of a server without secrets as mixed, without an alarm', () => {
    const found = compare([server(IMAGE, group)], [server({ ...IMAGE, image: 'registry.example.com/pg:2' }, group)]);
    expect(found).toEqual({ classification: 'mixed', aspects: [['spec.image', null]], alarms: [] });
  });

  test.each([
    ['another image', { image: 'evil.example.com/pg:1' }, 'spec.image'],
    ['other arguments', { args: ['--dump'] }, 'spec.args'],
    ['another variable', { env: [{ name: 'NODE_OPTIONS', value: '--require=/x' }] }, 'spec.env'],
    [
      'another pod',
      { podTemplateSpec: { spec: { containers: [{ name: 'mcp', image: 'evil' }] } } },
      'spec.podTemplateSpec',
    ],
    ['a folder of the node', { volumes: [{ name: 'a', hostPath: '/srv', mountPath: '/srv' }] }, 'spec.volumes'],
  ])('lintel diff raises the alarm otherProgram if a server with a secret gets %s', (_, change, field) => {
    const found = compare(
      [server({ ...IMAGE, ...SECRET }, group)],
      [server({ ...IMAGE, ...SECRET, ...change }, group)],
    );
    expect(found.classification).toBe('mixed');
    expect(found.aspects).toContainEqual([field, 'otherProgram']);
  });

  test('lintel diff classifies new resource limits and more replicas of a server as equivalent', () => {
    const resources = { limits: { memory: '1Gi' } };
    const found = compare([server(IMAGE, group)], [server({ ...IMAGE, resources, replicas: 3 }, group)]);
    expect(found).toEqual({
      classification: 'equivalent',
      aspects: [
        ['spec.replicas', null],
        ['spec.resources', null],
      ],
      alarms: [],
    });
  });
});

describe('a program on this machine', () => {
  const SETTINGS = { command: 'npx', args: ['-y', '@example/pg'] };

  test.each([
    ['another command', { command: 'curl' }, 'stdio.command'],
    ['other arguments', { args: ['-y', '@evil/pg'] }, 'stdio.args'],
    ['another folder', { workingDir: '/tmp' }, 'stdio.workingDir'],
  ])('lintel diff raises the alarm otherProgram if a stdio server keeps its secret and gets %s', (_, change, leaf) => {
    const found = compare([server({ ...SETTINGS, ...SECRET })], [server({ ...SETTINGS, ...SECRET, ...change })]);
    expect(found).toEqual({ classification: 'mixed', aspects: [[leaf, 'otherProgram']], alarms: ['otherProgram'] });
  });

  test.each([
    ['an inherited variable', { process: { inheritEnv: ['PG_TOKEN'] } }],
    ['a secret in plain text', { env: [{ name: 'PG_PASSWORD', value: 'correct horse' }] }],
    ['a secret argument', { args: ['--password=correct-horse'] }],
  ])(
    'lintel diff raises the alarm otherProgram if the command of a stdio server changes and the server keeps %s',
    (_, secret) => {
      const found = compare(
        [server({ ...SETTINGS, ...secret })],
        [server({ ...SETTINGS, ...secret, command: 'curl' })],
      );
      expect(found.alarms).toEqual(['otherProgram']);
    },
  );

  test('lintel diff raises no alarm if the command of a stdio server without secrets changes', () => {
    const found = compare([server(SETTINGS)], [server({ ...SETTINGS, command: 'curl' })]);
    expect(found).toEqual({ classification: 'mixed', aspects: [['stdio.command', null]], alarms: [] });
  });

  test('lintel diff raises an alarm if a container image replaces the command of a stdio server and gets the secret of the server', () => {
    const found = compare([server({ ...SETTINGS, ...SECRET })], [server({ ...IMAGE, ...SECRET })]);
    expect(found.aspects).toContainEqual(['spec.image', 'otherProgram']);
    expect(found.aspects).toContainEqual(['spec.command', 'otherProgram']);
  });
});

describe('a secret of a server that is gone', () => {
  const named = (name: string, spec: object) => object('MCPServer', name, { groupRef: { name: 'tools' }, ...spec });

  test('lintel diff raises the alarm otherProgram if a new server with another image gets the secret of a removed server', () => {
    const found = compare(
      [named('a', { ...IMAGE, ...SECRET })],
      [named('b', { ...IMAGE, ...SECRET, image: 'evil:1' })],
    );
    expect(found.alarms).toContain('otherProgram');
  });

  test('lintel diff raises no alarm if a removed server comes back under another name with the same image and secret', () => {
    const found = compare([named('a', { ...IMAGE, ...SECRET })], [named('b', { ...IMAGE, ...SECRET })]);
    expect(found.alarms).toEqual([]);
  });

  test('lintel diff raises the alarm newCredential for the secret of a new server if no server was removed', () => {
    const plain = (name: string) => ({ env: [{ name, value: 'correct horse' }] });
    const before = [named('a', { command: 'npx', ...plain('A_TOKEN') })];
    const found = compare(before, [...before, named('b', { command: 'npx', ...plain('B_TOKEN') })]);
    expect(found.alarms).toContain('newCredential');
  });
});

describe('what another operator reads for a server', () => {
  const tools = (toolsFilter: readonly string[]) => object('MCPToolConfig', 'readers', { toolsFilter }, TOOLHIVE);
  const collector = (endpoint: string) =>
    object(
      'MCPTelemetryConfig',
      'otel',
      { openTelemetry: { enabled: true, endpoint, metrics: { enabled: true } } },
      TOOLHIVE,
    );
  const exchange = (tokenUrl: string) =>
    object(
      'MCPExternalAuthConfig',
      'sts',
      { type: 'tokenExchange', tokenExchange: { tokenUrl, audience: 'pg' } },
      TOOLHIVE,
    );

  test('lintel diff compares the content of the MCPToolConfig that a server of ToolHive refers to', () => {
    const one = server({ ...IMAGE, toolConfigRef: { name: 'readers' } }, TOOLHIVE);
    const found = compare([one, tools(['read'])], [one, tools(['read', 'drop'])]);
    expect(found).toMatchObject({ classification: 'mixed', aspects: [['MCPToolConfig readers', null]] });
  });

  test('lintel diff reports that a server of ToolHive sends its telemetry to another host than before', () => {
    const one = server({ ...IMAGE, telemetryConfigRef: { name: 'otel' } }, TOOLHIVE);
    const found = compare([one, collector('https://otel.example.com')], [one, collector('https://otel.evil.example')]);
    expect(found).toMatchObject({ classification: 'mixed', aspects: [['MCPTelemetryConfig otel', null]] });
  });

  test.each([
    ['its proxy alone has', 'inline', 'otherCredential'],
    ['the gateway sends', 'discovered', 'otherEndpoint'],
  ])('lintel diff raises an alarm if the token endpoint changes of a credential that %s', (_, source, alarm) => {
    const gateway = object('VirtualMCPServer', 'gw', {
      groupRef: { name: 'tools' },
      incomingAuth: { type: 'anonymous' },
      outgoingAuth: { source },
    });
    const one = server({ ...IMAGE, externalAuthConfigRef: { name: 'sts' } }, TOOLHIVE);
    const [before, after] = ['https://sts.example.com/t', 'https://sts.evil.example/t'].map(url => {
      return [gateway, one, exchange(url)];
    });
    expect(compare(before ?? [], after ?? [])).toMatchObject({ classification: 'mixed', alarms: [alarm] });
  });

  test("lintel diff does not compare the MCPToolConfig of a server that Lintel runs, because the server's own bundle contains it", () => {
    const one = server({ ...IMAGE, toolConfigRef: { name: 'readers' } });
    const config = (filter: readonly string[]) => object('MCPToolConfig', 'readers', { toolsFilter: filter });
    expect(compare([one, config(['read'])], [one, config(['read', 'drop'])]).classification).toBe('equivalent');
  });
});

test('lintel diff reports a new image of an embedding server, and raises an alarm if the new image gets a secret', () => {
  const gateway = object('VirtualMCPServer', 'gw', {
    groupRef: { name: 'tools' },
    incomingAuth: { type: 'anonymous' },
    embeddingServerRef: { name: 'tei' },
  });
  const embedding = (image: string, more = {}) => [object('EmbeddingServer', 'tei', { image, ...more }), gateway];
  const difference = (more = {}) => {
    const { classification, changes } = diffExposure(
      exposureOf(...embedding('tei:1', more)),
      exposureOf(...embedding('tei:2', more)),
    );
    return [
      classification,
      changes.map(({ type, alarms, aspects }) => [type, alarms, aspects.map(({ name }) => name)]),
    ];
  };
  expect(difference()).toEqual(['mixed', [['gateway', [], ['embedding server spec.image']]]]);
  expect(difference({ hfTokenSecretRef: { name: 'hf', key: 'token' } })).toEqual([
    'mixed',
    [['gateway', ['otherProgram'], ['embedding server spec.image']]],
  ]);
});

test('lintel diff calls a server unclassified if an earlier version wrote an exposure file, because it does not name the image', () => {
  const withoutWorkload = (exposure: Exposure): Exposure => ({
    ...exposure,
    backends: exposure.backends.map(({ workload: _, ...backend }) => backend),
  });
  const now = exposureOf(server(IMAGE));
  for (const [was, is] of [
    [withoutWorkload(now), now],
    [now, withoutWorkload(now)],
    [withoutWorkload(now), withoutWorkload(now)],
  ] as const)
    expect(diffExposure(was, is).classification).toBe('unclassified');
});

describe.each(['MCPServer', 'MCPRemoteProxy', 'EmbeddingServer'])('every field of a %s', kind => {
  const fields = Object.entries(KINDS_FILE[kind]?.spec.properties ?? {});
  /** The gateway has these itself: its address and transport of the backend, and the server behind a proxy. */
  const OF_BACKEND = ['groupRef', 'proxyMode', 'proxyPort', 'remoteUrl'];
  const describeSpec = (spec: object) => {
    const document = { group: TOOLHIVE } as Resource['document'];
    return describeResource({ document, kind, namespace: 'default', name: 'pg', spec, authored: spec }, NO_OBJECTS);
  };
  const NO_OBJECTS = new Inventory([]);

  test.each(fields)(
    'lintel diff compares the field %s of the server, unless the gateway has the same setting for its backend',
    (field, schema) => {
      const [one, other] = [buildSample(schema), [buildSample(schema), 'another']];
      const [was, is] = [describeSpec({ [field]: one }), describeSpec({ [field]: other })];
      if (OF_BACKEND.includes(field)) expect([was, is]).toEqual([{}, {}]);
      else {
        expect(Object.keys(was)).toEqual([`spec.${field}`]);
        expect(was).not.toEqual(is);
      }
    },
  );
});
