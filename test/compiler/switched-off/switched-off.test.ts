/** A block that a spec switches off gives the same bundle as a spec without it. The blocks are found in the schemas. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Compilation } from '#compiler';
import { FILE_SCHEMAS, KINDS_FILE, type StructuralSchema } from '#schemas';
import { listLeaves, type Path, withLeaf } from '../../support/sample.ts';
import { compileSpec, specText } from '../every-field/gateway-specs.ts';
import { compileConfig, compileFiles } from '../registry/compiling.ts';
import { smallest as smallestConfig } from '../registry/every-field-configs.ts';

const GATEWAY = KINDS_FILE.VirtualMCPServer?.spec ?? {};
const CONFIG = FILE_SCHEMAS.RegistryConfig;
const SHARED = KINDS_FILE.MCPTelemetryConfig?.spec ?? {};

const isSwitch = (name: string, field: StructuralSchema) =>
  field.type === 'boolean' && /^enabled$|^enable[A-Z]|Enabled$/.test(name);

/** The outermost blocks that have a switch. */
function switchedBlocks(schema: StructuralSchema, path: Path = []): Path[] {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.some(([name, field]) => isSwitch(name, field))) return [path];
  return [
    ...fields.flatMap(([name, field]) => switchedBlocks(field, [...path, name])),
    ...(schema.items === undefined ? [] : switchedBlocks(schema.items, [...path, 0])),
    ...(schema.additionalProperties === undefined
      ? []
      : switchedBlocks(schema.additionalProperties, [...path, 'sample'])),
  ];
}

function at(schema: StructuralSchema, path: Path): StructuralSchema {
  return path.reduce<StructuralSchema>((each, step) => {
    const field = typeof step === 'number' ? each.items : (each.properties?.[step] ?? each.additionalProperties);
    return field ?? {};
  }, schema);
}

/** Samples that satisfy the rules, by the name of the field; undefined for fields that exclude others. */
const SAMPLES: { readonly [field: string]: unknown } = {
  endpoint: 'https://collector.example.com:4318',
  eventTypes: ['mcp_tool_call'],
  excludeEventTypes: ['mcp_resource_read'],
  environmentVariables: ['REGION'],
  sensitiveHeaders: undefined,
  insecure: undefined,
};

/** The block with a sample of every field, and the switches at these paths off. */
function blockWith(schema: StructuralSchema, isOff: (path: Path) => boolean): unknown {
  return listLeaves(schema).reduce<unknown>((block, { path, schema: leaf }) => {
    const off = isSwitch(String(path.at(-1)), leaf) && isOff(path);
    if (off) return set(block, path, false);
    const known = path.find(step => Object.hasOwn(SAMPLES, step));
    if (known === undefined) return withLeaf(schema, block, path);
    return SAMPLES[known] === undefined ? block : set(block, path.slice(0, path.indexOf(known) + 1), SAMPLES[known]);
  }, {});
}

function set(value: unknown, [step, ...rest]: Path, member: unknown): unknown {
  if (step === undefined) return member;
  const object = (value ?? {}) as Record<string, unknown>;
  return { ...object, [step]: set(object[step], rest, member) };
}

/** The block with all its switches off, and the block with its own switch off and the inner ones on. */
function waysOff(schema: StructuralSchema): readonly (readonly [string, unknown])[] {
  const switches = listLeaves(schema).filter(({ path, schema: leaf }) => isSwitch(String(path.at(-1)), leaf));
  const isNested = switches.some(({ path }) => path.length > 1);
  const allOff = ['all off', blockWith(schema, () => true)] as const;
  return isNested ? [allOff, ['off as a whole', blockWith(schema, path => path.length === 1)]] : [allOff];
}

const rowsOf = (schema: StructuralSchema) =>
  switchedBlocks(schema).flatMap(path =>
    waysOff(at(schema, path)).map(([way, block]) => [`${path.join('.')}, ${way}`, path, block] as const),
  );

const base = { groupRef: { name: 'sample' }, incomingAuth: { type: 'anonymous' } };

function outcome({ gateways, registries, findings }: Compilation) {
  const errors = findings.diagnostics.filter(({ severity, code }) => severity === 'error' || code === 'LNT1009');
  const [unit] = [...gateways, ...registries];
  return { errors: errors.map(({ code, message }) => `${code} ${message}`), bundle: unit?.bundle };
}

/** The blocks without a row: Lintel refuses an authorization server of the gateway's own as a whole. */
const UNSERVED = ['authServerConfig'];

const gatewayRows = rowsOf(GATEWAY).filter(([, [first]]) => !UNSERVED.includes(String(first)));

test('the schemas have a field `enabled` in exactly the expected blocks', () => {
  const blocks = (schema: StructuralSchema) => switchedBlocks(schema).map(path => path.join('.'));
  expect(blocks(GATEWAY)).toEqual([
    'config.audit',
    'config.codeMode',
    'config.operational.failureHandling.circuitBreaker',
    'config.telemetry',
    'authServerConfig.cimd',
  ]);
  expect(blocks(CONFIG)).toEqual(['telemetry', 'audit']);
  expect(blocks(SHARED)).toEqual(['openTelemetry', 'prometheus']);
});

test.each(gatewayRows)(
  'a gateway with the switched-off block %s has the same bundle as without the block',
  (_, path, block) => {
    // What surrounds a block may have an effect by itself.
    const around = set(base, path.slice(0, -1), {});
    const without = outcome(compileSpec(around));
    expect(without.bundle).not.toBeNull();
    expect(outcome(compileSpec(set(around, path, block)))).toEqual(without);
  },
);

test.each(rowsOf(CONFIG))(
  'a registry server with the switched-off block %s has the same bundle as without the block',
  (_, path, block) => {
    const without = outcome(compileConfig(stringify(smallestConfig)));
    expect(without.bundle).toBeTruthy();
    expect(outcome(compileConfig(stringify(set(smallestConfig, path, block))))).toEqual(without);
  },
);

/** An endpoint is only valid with a signal that could be sent, even if none is. */
function withoutUnusedEndpoint(block: unknown): unknown {
  const { endpoint, ...others } = block as { endpoint?: string; tracing?: { enabled?: boolean } };
  return others.tracing?.enabled === true ? block : others;
}

test.each(rowsOf(SHARED))(
  'a gateway that refers to telemetry with the switched-off block %s has the bundle of a gateway without telemetry',
  (_, path, block) => {
    const shared = stringify({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPTelemetryConfig',
      metadata: { name: 'off' },
      spec: set({}, path, withoutUnusedEndpoint(block)),
    });
    const compiled = (spec: object) => outcome(compileFiles({ 'a.yaml': specText(spec), 'b.yaml': shared }));
    const without = compiled(base);
    expect(without.bundle).toBeTruthy();
    expect(compiled({ ...base, telemetryConfigRef: { name: 'off' } })).toEqual(without);
  },
);

test('enabled code mode gives LNT1009, because the runtime does not support it', () => {
  const on = (path: Path) => outcome(compileSpec(set(set(base, path.slice(0, -1), {}), path, true))).errors;
  expect(on(['config', 'codeMode', 'enabled'])).toEqual([
    'LNT1009 code mode: not supported yet (spec.config.codeMode)',
  ]);
});
