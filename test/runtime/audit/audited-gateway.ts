/** A runtime with an audit log, and readers for the log's records. */
import { readFile, rename } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { Logger } from '#runtime';
import type { AuditPlan } from '#schemas';
import { type BundleOptions, startGateway, type TestGateway } from '../../support/gateway.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
export type AuditRecord = any;

export const AUDIT: AuditPlan = {
  component: 'test',
  eventTypes: [],
  excludeEventTypes: [],
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataBytes: 1024,
  maxDelegationDepth: 10,
  file: null,
};

export interface AuditedGateway {
  readonly gateway: TestGateway;
  /** Path of the log. */
  readonly file: string;
  /** The whole log as text. */
  text(): Promise<string>;
  /** All records of the log. */
  records(): Promise<readonly AuditRecord[]>;
  /** The first record of a kind, once it exists. */
  recordOf(type: string, fits?: (record: AuditRecord) => boolean): Promise<AuditRecord>;
  /** Moves the log away, as a log rotation does, and signals the process. */
  rotate(to: string): Promise<void>;
  /** Serves the same gateway with another plan; undefined for one that records nothing. */
  replace(audit: Partial<AuditPlan> | undefined): Promise<void>;
}

/** Environment variables during a test. */
export function withEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const former = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (former === undefined) delete process.env[name];
      else process.env[name] = former;
    });
  }
}

export async function startAudited(
  options: BundleOptions,
  audit: Partial<AuditPlan> = {},
  log?: Logger,
): Promise<AuditedGateway> {
  const folder = await temporaryFolder();
  const file = folder.file('audit.jsonl');
  const withPlan = (plan: Partial<AuditPlan> | undefined) =>
    plan === undefined ? options : { ...options, audit: { ...AUDIT, file, ...plan } };
  const gateway = await startGateway(withPlan(audit), log);
  onTestFinished(async () => {
    await gateway.stop();
    await folder[Symbol.asyncDispose]();
  });
  await gateway.ready();
  const text = () => readFile(file, 'utf8').catch(() => '');
  const records = async () => recordsIn(await text());
  return {
    gateway,
    file,
    text,
    records,
    recordOf: (type, fits = () => true) =>
      eventually(async () => (await records()).find(record => record.type === type && fits(record))),
    rotate: async to => {
      await rename(file, to);
      process.emit('SIGHUP');
    },
    replace: async plan => {
      const { digest } = (await gateway.status()).bundle;
      await gateway.replace(withPlan(plan));
      await eventually(async () => (await gateway.status()).bundle.digest !== digest);
    },
  };
}

export function recordsIn(text: string): readonly AuditRecord[] {
  // A line that is still being written has no line break.
  const lines = text.split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line));
}
