/** How Flux and Argo CD interpret the status of Lintel's objects: one table for the CEL of the one and the Lua of the other. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CelInput, celEnv, parse, plan } from '@bufbuild/cel';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { withPeers } from '../../support/peers.ts';

const withLua = withPeers('lua');
const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

type Verdict = 'healthy' | 'progressing' | 'failed' | 'suspended';
type Case = readonly [name: string, spec: object, status: object | undefined, verdict: Verdict];

const condition = (type: string, status: string, message = '') => ({ type, status, message });
const ready = condition('Ready', 'True');
const unready = condition('Ready', 'False', 'LNT1011: expected one of …');

const SOURCES: readonly Case[] = [
  ['no status was written yet', {}, undefined, 'progressing'],
  ['an empty status', {}, {}, 'progressing'],
  ['ready', {}, { observedGeneration: 2, conditions: [ready] }, 'healthy'],
  ['ready, of a former generation', {}, { observedGeneration: 1, conditions: [ready] }, 'progressing'],
  [
    'ready before, at work now',
    {},
    { observedGeneration: 2, conditions: [ready, condition('Reconciling', 'True', 'fetching')] },
    'progressing',
  ],
  ['stalled', {}, { observedGeneration: 2, conditions: [unready, condition('Stalled', 'True', 'LNT1011')] }, 'failed'],
  ['no longer stalled', {}, { observedGeneration: 2, conditions: [ready, condition('Stalled', 'False')] }, 'healthy'],
];

const SERVERS: readonly Case[] = [
  ['no status was written yet', {}, undefined, 'progressing'],
  ['an empty status', {}, {}, 'progressing'],
  [
    'pending',
    {},
    { observedGeneration: 2, phase: 'Pending', conditions: [condition('Ready', 'False')] },
    'progressing',
  ],
  ['ready', {}, { observedGeneration: 2, phase: 'Ready', conditions: [ready] }, 'healthy'],
  ['ready, of a former generation', {}, { observedGeneration: 1, phase: 'Ready', conditions: [ready] }, 'progressing'],
  ['failed', {}, { observedGeneration: 2, phase: 'Failed', message: 'no pod', conditions: [unready] }, 'failed'],
];

/** The health of an object as Flux evaluates it: the object's members are the variables, and the first true expression decides. */
function flux(kind: string, object: { readonly [member: string]: unknown }): Verdict {
  const [, kustomization] = parseAllDocuments(readFileSync(join(EXAMPLES, 'flux/sources.yaml'), 'utf8'));
  const checks = kustomization?.toJS() as {
    spec: { healthCheckExprs: readonly { [expression: string]: string }[] };
  };
  const expressions = checks.spec.healthCheckExprs.find(entry => entry.kind === kind);
  if (expressions === undefined) throw new Error(`no expressions for ${kind}`);
  const holds = (name: string): boolean => {
    const result = plan(celEnv(), parse(expressions[name] ?? ''))(object as { [name: string]: CelInput });
    if (typeof result !== 'boolean') throw new Error(`${name}: ${String(result)}`);
    return result;
  };
  if (holds('inProgress')) return 'progressing';
  if (holds('failed')) return 'failed';
  return holds('current') ? 'healthy' : 'progressing';
}

const ARGO: { readonly [status: string]: Verdict } = {
  Healthy: 'healthy',
  Progressing: 'progressing',
  Degraded: 'failed',
  Suspended: 'suspended',
};

function argo(kind: string, object: object): Verdict {
  const script = readFileSync(join(EXAMPLES, `argocd/health/${kind}.lua`), 'utf8');
  const program = `obj = ${lua(object)}\nlocal health = (function()\n${script}\nend)()\nio.write(health.status)`;
  const status = execFileSync('lua5.1', ['-'], { input: program, encoding: 'utf8' });
  return ARGO[status] ?? 'progressing';
}

/** Writes a value as a Lua expression. */
function lua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(lua).join(', ')}}`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `[${JSON.stringify(key)}] = ${lua(member)}`)
      .join(', ')}}`;
  }
  return value === undefined ? 'nil' : JSON.stringify(value);
}

const objectOf = (kind: string, spec: object, status: object | undefined) => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind,
  metadata: { name: 'a', namespace: 'mcp', generation: 2 },
  spec,
  status,
});

/** Kinds whose status has a phase. */
const WITH_PHASES = ['MCPRegistry', 'MCPRemoteProxy', 'MCPServer', 'VirtualMCPServer'] as const;

const TABLE = [
  ...SOURCES.map(entry => ['GatewaySource', ...entry] as const),
  ...WITH_PHASES.flatMap(kind => SERVERS.map(entry => [kind, ...entry] as const)),
];

describe.each(TABLE)('%s, %s', (kind, name, spec, status, verdict) => {
  const object = objectOf(kind, spec, status);
  // Expressions cannot test whether `status` itself exists.
  test(`the CEL health check for Flux finds a ${kind} ${verdict}: ${name}`, () =>
    expect(flux(kind, { ...object, status: status ?? {} })).toBe(verdict));
  withLua.test(`the Lua health check for Argo CD finds a ${kind} ${verdict}: ${name}`, () =>
    expect(argo(kind, object)).toBe(verdict),
  );
});

withLua.test('the Lua health check for Argo CD finds a suspended GatewaySource Suspended', () => {
  const object = objectOf('GatewaySource', { suspend: true }, { observedGeneration: 2, conditions: [ready] });
  expect(argo('GatewaySource', object)).toBe('suspended');
});

test('argocd-cm.yaml contains exactly the Lua scripts in argocd/health', () => {
  const { data } = parseYaml(readFileSync(join(EXAMPLES, 'argocd/argocd-cm.yaml'), 'utf8')) as {
    data: { [key: string]: string };
  };
  const scripts = ['GatewaySource', ...WITH_PHASES].map(kind => [
    `resource.customizations.health.lintel.dev_${kind}`,
    readFileSync(join(EXAMPLES, `argocd/health/${kind}.lua`), 'utf8'),
  ]);
  expect(data).toEqual(Object.fromEntries(scripts));
});
