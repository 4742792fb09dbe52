/** Short forms of the reports of reconciles. */
import type { Condition, GatewaySourceStatus } from '#schemas';
import type { CompiledUnit, CompileOutcome, FoundDiagnostic } from '../../../controller/compile/index.ts';
import type { ObservedSource, ReconcileReport } from '../../../controller/reconcile/index.ts';

export const COMMIT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
export const REVISION = `main@sha1:${COMMIT}`;

export function source(spec: Partial<ObservedSource['spec']> = {}): ObservedSource {
  return {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'GatewaySource',
    metadata: { name: 'gateways', namespace: 'team', uid: 'u1', generation: 1 },
    spec: {
      url: 'https://git.example.com/team/gateways.git',
      commitStatus: { provider: 'github', secretRef: { name: 'forge' }, context: 'prod' },
      ...spec,
    },
  } as ObservedSource;
}

export function condition(type: string, status: Condition['status'], reason: string, message: string): Condition {
  return { type, status, reason, message, lastTransitionTime: '2026-11-22T12:00:00Z' };
}

export const READY: Condition = condition('Ready', 'True', 'Succeeded', `applied ${REVISION}`);
export const PROGRESSING: Condition = condition('Ready', 'Unknown', 'Progressing', 'waits for pods');

export function unit(name: string, more: Partial<CompiledUnit> = {}): CompiledUnit {
  return {
    kind: 'gateway',
    namespace: 'team',
    name,
    digest: `sha256:${name.padEnd(64, '0')}`,
    manifests: [],
    files: [],
    diagnostics: [],
    configHashes: {},
    statusReportingIntervalMs: 30_000,
    backends: [],
    ...more,
  };
}

export function outcome(units: readonly CompiledUnit[], more: Partial<CompileOutcome> = {}): CompileOutcome {
  return {
    isGood: true,
    units,
    objects: [],
    diagnostics: [],
    counts: { errors: 0, warnings: 0, hints: 0 },
    digest: 'sha256:00',
    ignored: 0,
    programs: [],
    ...more,
  };
}

export function error(message: string, line = 7): FoundDiagnostic {
  return { code: 'LNT1003', severity: 'error', message, file: 'gateways/eng.yaml', line, column: 3 };
}

export function told(
  conditions: readonly Condition[],
  more: Partial<ReconcileReport> & { status?: GatewaySourceStatus } = {},
): ReconcileReport {
  return {
    source: source(),
    tree: { revision: REVISION, commit: COMMIT, folder: '/nowhere' },
    ...more,
    status: { conditions, lastAttemptedRevision: REVISION, ...more.status },
  };
}
