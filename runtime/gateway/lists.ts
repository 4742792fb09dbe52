/** The lists that clients get: from the table, never from a backend while a client waits. */
import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import { type CapabilityKind, KINDS } from './capabilities.ts';
import type { Gateway } from './gateway.ts';
import type { PreparedList } from './prepared-list.ts';
import { requireStillIn, type Sender } from './sender.ts';
import { type CapabilityTable, routeOfItem } from './table.ts';
import { visibleList } from './visible-lists.ts';

/** The kind that a method lists. */
export const LISTS: ReadonlyMap<string, CapabilityKind> = new Map(
  KINDS.map(({ listMethod, kind }) => [listMethod, kind]),
);

/**
 * The list of a kind, as far as it is a caller's business. Waits for the backends when the gateway has just started, and for
 * those that answer callers only when this one has not asked them yet.
 *
 * @throws WireError when backends are missing and `partialFailureMode` is `fail`; as `requireStillIn`
 */
export async function listOf(gateway: Gateway, kind: CapabilityKind, sender: Sender): Promise<PreparedList> {
  await gateway.settled();
  await gateway.learn(sender);
  requireStillIn(sender);
  refusePartialList(gateway, sender);
  const { table } = gateway;
  return visibleList(table, kind, gateway.accessOf(sender.identity), whatWasTold(gateway, table, kind, sender));
}

/** What one caller is told by a backend that asks who calls is not for others to see, not even its name. */
function whatWasTold(
  { connections }: Gateway,
  table: CapabilityTable,
  kind: CapabilityKind,
  sender: Sender,
): ((key: string) => boolean) | undefined {
  if (table.askingCallers.size === 0) return undefined;
  const names = new Map(
    [...table.askingCallers].map(name => [name, connections.get(name)?.discovery?.told(sender)?.[kind]]),
  );
  return key => {
    const route = routeOfItem(table, kind, key);
    if (route === undefined) return false;
    return !table.askingCallers.has(route.backend) || names.get(route.backend)?.has(route.originalName) === true;
  };
}

/** `partialFailureMode: fail`: a list with holes is no answer. Calls to the backends that are there go on. */
function refusePartialList(gateway: Gateway, sender: Sender): void {
  if (gateway.bundle.operational.partialFailure !== 'fail') return;
  const missing = [...gateway.connections.values()].filter(
    ({ monitor, discovery }) => !monitor.available || discovery?.isPending(sender) === true,
  );
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  throw new WireError(WIRE_CODE.internalError, `unavailable: ${names} (partialFailureMode is fail)`, {
    data: { backends: missing.map(({ name, monitor }) => ({ name, message: monitor.health.message })) },
  });
}
