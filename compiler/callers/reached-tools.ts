import type { GatewayModel } from '../gateway/model.ts';
import type { Circumstances, Claims } from './admission.ts';
import { matrixOf } from './matrix.ts';

/** What a caller reaches: by the name of each tool, the name to call for it, which is its own or that of a workflow. */
export interface ReachedTools {
  readonly ways: ReadonlyMap<string, string>;
  /** Whether the tool catalog knows every backend. When not, there may be more. */
  readonly complete: boolean;
}

/**
 * Every tool that some call of the caller leads to, whatever its arguments, hidden ones among them. Undefined when the policies of
 * the gateway are not in the sources.
 *
 * @param claims undefined for a caller without a token
 */
export function reachedTools(
  gateway: GatewayModel,
  claims: Claims | undefined,
  circumstances: Circumstances,
): ReachedTools | undefined {
  const found = matrixOf(gateway, [{ name: 'caller', claims }], circumstances);
  if (found === undefined) return undefined;
  const { items, complete } = found.matrix;
  const callable = items.filter(({ type, access }) => type === 'tool' && access.caller !== 'no');
  const ways = new Map<string, string>();
  for (const { name } of callable) {
    const workflow = gateway.composites.find(composite => composite.name === name);
    for (const { target } of workflow?.calls ?? []) if (target.type === 'tool') ways.set(target.tool.name, name);
  }
  // The direct way last: it is the one to tell of.
  for (const { name } of callable) ways.set(name, name);
  return { ways, complete };
}
