/** Workers: their results, what ends them, and that the controller survives that. */
import { expect, test } from 'vitest';
import { type CompileRequest, CompileService } from '../../../controller/compile/index.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const AUTH_REF =
  'outgoingAuth: { source: inline, default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: auth } } }\n';

const AUTH =
  'apiVersion: lintel.dev/v1beta1\nkind: MCPExternalAuthConfig\nmetadata: { name: auth }\nspec: { type: unauthenticated }\n';
const COMPILER = new URL('./workers/kept.ts', import.meta.url);
const NEVER = new AbortController().signal;

function request(folder: TemporaryFolder, key = 'team/source', changes: Partial<CompileRequest> = {}): CompileRequest {
  const clusterTexts = new Map<string, string>();
  return {
    key,
    folder: folder.path,
    path: '.',
    defaultNamespace: 'team',
    clusterTexts,
    withExposure: false,
    ...changes,
  };
}

test('the compile service returns an unchanged gateway as the same object in memory, because its worker caches results', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng'), 'ops.yaml': gatewayFile('ops') });
  using service = new CompileService();
  const first = await service.compile(request(folder), NEVER);
  expect([first.isGood, first.units.map(({ name }) => name)]).toEqual([true, ['eng', 'ops']]);
  await folder.write({ 'ops.yaml': gatewayFile('ops', { url: 'https://other.example.com/mcp' }) });
  const second = await service.compile(request(folder), NEVER);
  expect(second.units.map((unit, index) => unit === first.units[index])).toEqual([true, false]);
  expect(second.units[1]?.digest).not.toBe(first.units[1]?.digest);
});

test('the compile service sends objects of the cluster to its worker only when they change', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng', { spec: AUTH_REF }) });
  using service = new CompileService({ entry: COMPILER });
  const clusterTexts = new Map([['cluster:MCPExternalAuthConfig/team/auth', AUTH]]);
  const compile = async (texts: Map<string, string>) =>
    (await service.compile(request(folder, 'team/source', { clusterTexts: texts }), NEVER)).isGood;
  expect(await compile(clusterTexts)).toBe(true);
  expect(await compile(clusterTexts)).toBe(true);
  expect(await compile(new Map())).toBe(false);
});

test.each([
  [
    'endless',
    { wallMs: 300, heapMb: 128 },
    'compiling took longer than 0.3 s and was stopped; make the sources smaller, use several GatewaySources with a path each, or raise --compile-timeout',
  ],
  [
    'hungry',
    { wallMs: 60_000, heapMb: 32 },
    'compiling needed more than 32 MB of memory and was stopped; make the sources smaller, use several GatewaySources with a path each, or raise --compile-memory',
  ],
  [
    'killed',
    { wallMs: 60_000, heapMb: 128 },
    'another program killed the compiler; check the memory limit of the container or machine',
  ],
  ['broken', { wallMs: 60_000, heapMb: 128 }, 'the compiler failed: Error: a mistake of ours'],
  ['gone', { wallMs: 60_000, heapMb: 128 }, 'the compiler ended without a result'],
])(
  'a compile worker that is %s gives an error outcome, and the next compilation gets a new worker',
  async (name, limits, message) => {
    await using folder = await temporaryFolder();
    const entry = new URL(`./workers/${name}.ts`, import.meta.url);
    using service = new CompileService({ limits, entry });
    const outcome = await service.compile(request(folder), NEVER);
    expect(outcome).toMatchObject({ isGood: false, isUnfinished: true, units: [], counts: { errors: 1 } });
    expect(outcome.diagnostics).toEqual([{ code: 'LNT1061', severity: 'error', message, file: '.' }]);
    // The next compilation gets a new worker.
    expect((await service.compile(request(folder), NEVER)).diagnostics[0]?.message).toBe(message);
  },
);

test('an aborted compilation rejects with the reason of the abort, and its worker ends', async () => {
  await using folder = await temporaryFolder();
  using service = new CompileService({ entry: new URL('./workers/endless.ts', import.meta.url) });
  const controller = new AbortController();
  const compiling = service.compile(request(folder), controller.signal);
  controller.abort(new Error('a newer revision'));
  await expect(compiling).rejects.toThrow('a newer revision');
});

test('the compile service ends the worker of an idle source, and the next compilation of this source succeeds', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng') });
  using service = new CompileService({ entry: COMPILER, maxWorkers: 1 });
  const first = await service.compile(request(folder, 'a/a'), NEVER);
  await service.compile(request(folder, 'b/b'), NEVER);
  const again = await service.compile(request(folder, 'a/a'), NEVER);
  expect(again).toEqual(first);
  expect(again.units[0]).not.toBe(first.units[0]);
});
