/** What audit records cost a call, next to the same gateway without. */
import { join } from 'node:path';
import type { AuditPlan } from '#schemas';
import { type CallCost, type CostOptions, measureBeside, sessionHeads, type Target } from './beside.ts';
import { sessionCall } from './calls.ts';
import { type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** As a bundle has it that says `enabled: true` and where the log is. */
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
  return await measureBeside(baseline, [await targetOf('audit to a file', recording)], options);
}
