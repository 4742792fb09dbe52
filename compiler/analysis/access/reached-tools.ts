import type { GatewayModel } from '../gateway/model.ts';
import { authenticateCaller, type Claims, type EvaluationContext } from './admission.ts';
import { buildMatrix } from './matrix.ts';
import { UnlockedTools } from './unlocked-tools.ts';

/** What a caller reaches: by the name of each tool, the name to call for it, which is its own or that of a workflow. */
export interface ReachedTools {
  readonly ways: ReadonlyMap<string, string>;
  /** Whether backends that the tool lock does not know may have tools that the caller reaches, beyond the known ones. */
  readonly mayBeMore: boolean;
  /** Whether a tool of this name may be among those. */
  mayReach(name: string): boolean;
}

const NOTHING: ReachedTools = { ways: new Map(), mayBeMore: false, mayReach: () => false };

/**
 * Every tool that some call of the caller leads to, whatever its arguments, hidden ones among them. Undefined when the policies of
 * the gateway are not in the sources, and the caller is let in.
 *
 * @param claims undefined for a caller without a token
 */
export function reachedTools(
  gateway: GatewayModel,
  claims: Claims | undefined,
  context: EvaluationContext,
): ReachedTools | undefined {
  const { caller, refusals } = authenticateCaller(gateway, claims, context);
  // A caller that is not admitted reaches nothing, whatever backends and policies there are.
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
  // The direct way last: it is the one to tell of.
  for (const name of names) ways.set(name, name);
  const unlocked = new UnlockedTools(gateway, caller, workflows);
  return { ways, mayBeMore: unlocked.mayBeAny(ways), mayReach: name => unlocked.mayReach(name) };
}
