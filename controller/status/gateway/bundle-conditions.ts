/** `CompiledTree` and `BundleActive`: whether the newest revision gives a bundle, and whether that bundle is served. */
import { formatDiagnostics } from '../diagnostics-text.ts';
import { isRolledBack, readHoldReason } from '../holds.ts';
import {
  type CompileObservation,
  listReadyPods,
  type UntimedCondition,
  type WorkloadStatusInput,
} from './status-input.ts';

/** The condition `Compiled`; undefined until the result is known. */
export function createCompiledCondition(compiled: CompileObservation | undefined): UntimedCondition | undefined {
  if (compiled === undefined) return undefined;
  const { digest, revision, diagnostics } = compiled;
  if (digest !== null) {
    // The message of a success omits the revision, so that a commit that does not change the gateway causes no write.
    return { type: 'Compiled', status: 'True', reason: 'Succeeded', message: digest };
  }
  const message = `${formatDiagnostics(diagnostics) ?? 'the compiler built no bundle'} (${revision})`;
  return { type: 'Compiled', status: 'False', reason: 'CompilationFailed', message };
}

/**
 * The condition `BundleActive`: true only when every ready pod reports that it serves the newest bundle. A pod that does not answer reports nothing.
 */
export function createBundleActiveCondition({ compiled, unit, pods }: WorkloadStatusInput): UntimedCondition {
  const buildCondition = (status: UntimedCondition['status'], reason: string, message: string): UntimedCondition => ({
    type: 'BundleActive',
    status,
    reason,
    message,
  });
  if (unit === undefined) return buildCondition('False', 'NotDeployed', 'no GatewaySource deploys it yet');
  const { digest, heldDigest } = unit;
  const ready = listReadyPods(pods);
  const on = ready.filter(pod => pod.digest === digest).length;
  const counted = `${on} of ${ready.length} ready pods serve ${digest}`;
  // The bundle that was given up may be the one that a rollback restored: then pods serve it.
  if (heldDigest !== undefined && (heldDigest !== digest || !isRolledBack(unit))) {
    const why = unit.message === undefined ? '' : `: ${unit.message}`;
    const what = isRolledBack(unit)
      ? `${heldDigest} was rolled back`
      : `${heldDigest} failed, and there is no previous bundle`;
    return buildCondition('False', readHoldReason(unit.message), `${what}${why}; ${counted}`);
  }
  const refusal = pods.find(({ refused }) => refused !== null);
  if (refusal !== undefined && on < Math.max(1, ready.length)) {
    return buildCondition('False', 'BundleRejected', `pod ${refusal.name} refuses ${digest}: ${refusal.refused}`);
  }
  if (ready.length === 0) return buildCondition('False', 'NoReadyPods', 'no pod is ready');
  if (on < ready.length) {
    const silent = ready.find(pod => pod.digest === null);
    return buildCondition(
      'False',
      'RolloutProgressing',
      `${counted}${silent?.problem ? `; ${silent.name}: ${silent.problem}` : ''}`,
    );
  }
  if (compiled?.digest && compiled.digest !== digest) {
    const why = compiled.isGood
      ? 'is being applied'
      : 'is not applied, because its revision has errors in other gateways';
    return buildCondition(
      'False',
      'RolloutProgressing',
      `${compiled.digest} of ${compiled.revision} ${why}; ${counted}`,
    );
  }
  return buildCondition('True', 'Active', counted);
}
