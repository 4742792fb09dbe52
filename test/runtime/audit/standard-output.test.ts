/** The audit log on standard output, which is the default: of a process, as a cluster collects it. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { BundleFile, startGatewayProgram } from '../../support/gateway-program.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { call, disposable, openSession, post } from '../scale-out/wire.ts';
import { AUDIT, recordsIn } from './audited-gateway.ts';

test('an audit log without a file is on standard output, line by line, also after SIGHUP and to the end of the process', async () => {
  await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
  await using stack = new AsyncDisposableStack();
  const audit = { ...AUDIT, eventTypes: ['mcp_tool_call'] };
  const file = stack.use(await BundleFile.write({ backends: [backendPlan('one', backend.peer.url)], audit }));
  const { url, program } = await startGatewayProgram(stack, file, { env: { LINTEL_AUDIT_CHAIN: 'true' } });
  const records = () => recordsIn(program.stdout.text).filter(({ level }) => level === 'AUDIT');
  const session = await openSession(url);
  const echo = async (id: number) => expect((await post(url, call(id, 'one_echo'), session)).status).toBe(200);
  await echo(1);
  const [first] = await eventually(() => (records().length === 1 ? records() : undefined));
  expect(first).toMatchObject({ msg: 'audit_event', type: 'mcp_tool_call', target: { name: 'one_echo' } });
  program.kill('SIGHUP');
  await echo(2);
  await eventually(() => records().length === 2);
  await echo(3);
  program.kill('SIGTERM');
  expect(await program.exitCode()).toBe(0);
  expect(records().map(({ chain }) => chain.sequence)).toEqual([1, 2, 3]);
});
