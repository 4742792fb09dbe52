import type { GatewayModel } from '../gateway/model.ts';
import { authenticateCaller, type Claims, type EvaluationContext, toAdmittingServer } from './admission.ts';
import { buildMatrix } from './matrix.ts';
import { UnlockedTools } from './unlocked-tools.ts';

/** The tools that a caller reaches. For each tool, the name to call: its own, or that of a workflow. */
export interface ReachedTools {
  readonly ways: ReadonlyMap<string, string>;
  /** Whether the caller may reach further tools, of backends that the tool lock does not know. */
  readonly mayBeMore: boolean;
  /** Whether a tool of this name may be one of these further tools. */
  mayReach(name: string): boolean;
}

const NOTHING: ReachedTools = { ways: new Map(), mayBeMore: false, mayReach: () => false };

/**
 * Every tool that the caller reaches by some call with some arguments, hidden tools included. Undefined when the caller is admitted and the
 * gateway's policies are not in the sources.
 *
 * @param claims undefined for a caller without a token
 */
export function listReachedTools(
  gateway: GatewayModel,
  claims: Claims | undefined,
  context: EvaluationContext,
): ReachedTools | undefined {
  const { caller, refusals } = authenticateCaller(toAdmittingServer(gateway), claims, context);
  // A caller that the gateway refuses reaches nothing.
  if (refusals.length > 0) return NOTHING;
  const found = buildMatrix(gateway, [{ name: 'caller', claims }], context);
  if (found === undefined) return undefined;
  const callable = found.matrix.items.filter(({ type, access }) => type === 'tool' && access.caller !== 'no');
  const names = new Set(callable.map(({ name }) => name));
  const workflows = gateway.composites.filter(({ name }) => names.has(name));
  const ways = new Map<string, string>();
  for (const { name, calls } of workflows) {
    for (const { target } of calls) if (target.type === 'tool') ways.set(target.tool.name, name);
  }
  // The tool's own name comes last and replaces a workflow, because it is the simplest to report.
  for (const name of names) ways.set(name, name);
  const unlocked = new UnlockedTools(gateway, caller, workflows);
  return { ways, mayBeMore: unlocked.mayBeAny(ways), mayReach: name => unlocked.mayReach(name) };
}
