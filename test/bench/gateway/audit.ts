/** Measures what audit records cost a call: compared with the same gateway without them, and in a process that only writes records. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createLogger } from '#runtime';
import { AUDIT_EVENTS, type AuditPlan } from '#schemas';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { AuditLog } from '../../../runtime/observe/audit/audit-log.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { median } from './median.ts';
import { ANSWER, CALLS_OF_A_ROUND, NOWHERE } from './nowhere.ts';
import { type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** The plan of a spec that has `enabled: true` and a log file. */
export const AUDIT_PLAN: Omit<AuditPlan, 'file'> = {
  component: 'bench',
  eventTypes: [],
  excludeEventTypes: [],
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataBytes: 1024,
  maxDelegationDepth: 10,
};

export async function measureAuditCosts(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using backend = await startBackend();
  const targetOf = async (name: string, gateway: Server): Promise<Target> => ({
    name,
    gateway,
    job: { url: gateway.url, heads: await sessionHeads(gateway.url), body: sessionCall('json_tool_0') },
  });
  await using without = await startGateway(folder, backend, NAMES);
  await using recording = await startGateway(folder, backend, NAMES, {
    policy: { audit: { ...AUDIT_PLAN, file: join(folder, 'audit.jsonl') } },
  });
  const baseline = await targetOf('without', without);
  return await measureCost(baseline, [await targetOf('audit to a file', recording)], options);
}

/** Calls that are started before the log gets a turn of the event loop to write. */
const CALLS_OF_A_TURN = 100;

/** Microseconds of processor time for each call, including the threads that write the file. */
export async function measureAuditWork(folder: string, rounds: number): Promise<number> {
  const log = createLogger('silent');
  const writing = { whenFull: 'block', fsync: 'never', chain: false, collector: undefined } as const;
  const audit = new AuditLog({ ...writing, events: AUDIT_EVENTS, log });
  (await audit.prepare({ ...AUDIT_PLAN, file: join(folder, 'audit-work.jsonl') }, 'sha256:of-the-bundle')).apply();
  const envelope = readEnvelope(sessionCall('json_tool_0'));
  const costs = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS_OF_A_ROUND; call++) {
      const req = requestOf({ 'user-agent': 'load', 'content-type': 'application/json' });
      const room = audit.begin(req, RESPONSE);
      if (room !== undefined) await room;
      const record = audit.of(req);
      record?.message(envelope);
      const answer = record?.answer(NOWHERE);
      record?.routed('json', 'tool_0');
      answer?.start(ANSWER.length, 200);
      answer?.data(ANSWER);
      answer?.end();
      if (call % CALLS_OF_A_TURN === 0) await new Promise(setImmediate);
    }
    const { user, system } = process.cpuUsage(before);
    // The first round is not counted, because V8 compiles in it.
    if (round > 0) costs.push((user + system) / CALLS_OF_A_ROUND);
  }
  await audit.close();
  return median(costs);
}

const SOCKET = { remoteAddress: '127.0.0.1' };

const requestOf = (headers: IncomingMessage['headers']): IncomingMessage =>
  ({ method: 'POST', url: '/mcp', headers, socket: SOCKET }) as unknown as IncomingMessage;

/** The parts of a sent response that a record reads. */
const RESPONSE = { headersSent: true, statusCode: 200, once: () => RESPONSE } as unknown as ServerResponse;
