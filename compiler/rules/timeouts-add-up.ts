import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';
import { parseDurationMs } from '../text/duration.ts';
import { MAX_STEPS } from './composite-basics.ts';

/** Default timeout of a workflow. */
const DEFAULT_TIMEOUT = '30m';

/**
 * The timeouts of steps that run one after the other must together fit into the timeout of the workflow.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `timeout` of steps that wait for each other | together within the
 *   timeout of the workflow (default 30m) | LNT7027
 */
export function timeoutsAddUp(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    const { timeout = DEFAULT_TIMEOUT, steps } = tool;
    // Other rules report too many steps and a timeout of zero.
    if (steps.length > MAX_STEPS || parseDurationMs(timeout) === 0) return [];
    const longest = findLongestPath(steps);
    // `compositeTimeouts` checks the timeout of a single step.
    if (longest.steps.length < 2 || longest.ms <= parseDurationMs(timeout)) return [];
    const ways = longest.steps.map(index => `"${steps[index]?.id}" ${steps[index]?.timeout}`);
    const message = `steps that wait for each other may take ${formatSeconds(longest.ms)}, and the workflow ends after ${timeout}: ${ways.join(', then ')}`;
    const related = longest.steps.map(index => {
      const at = [...path, 'steps', index, 'timeout'];
      return toRelatedLocation(`step "${steps[index]?.id}" may take this long`, { resource, path: at });
    });
    const at = tool.timeout === undefined ? [...path, 'steps'] : [...path, 'timeout'];
    const mark = tool.timeout === undefined ? 'key' : 'value';
    return [diagnose(resource.document, 'LNT7027', at, message, { at: mark, related })];
  });
}

interface LongPath {
  readonly ms: number;
  /** Steps with a timeout, in the order in which they run. */
  readonly steps: readonly number[];
}

const NOTHING: LongPath = { ms: 0, steps: [] };

/** The longest path by explicit timeouts: steps without one are not counted. Steps on a cycle never start. */
function findLongestPath(steps: readonly Step[]): LongPath {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index] as const).reverse());
  const known = new Map<number, LongPath>();
  const endingAt = (index: number): LongPath => {
    const found = known.get(index);
    if (found !== undefined) return found;
    known.set(index, NOTHING);
    const { timeout, dependsOn = [] } = steps[index] as Step;
    const before = dependsOn
      .flatMap(id => indexOf.get(id) ?? [])
      .map(endingAt)
      .reduce((longest, path) => (path.ms > longest.ms ? path : longest), NOTHING);
    const path =
      timeout === undefined ? before : { ms: before.ms + parseDurationMs(timeout), steps: [...before.steps, index] };
    known.set(index, path);
    return path;
  };
  return [...steps.keys()].map(endingAt).reduce((longest, path) => (path.ms > longest.ms ? path : longest), NOTHING);
}

function formatSeconds(ms: number): string {
  return `${ms / 1000}s`;
}
