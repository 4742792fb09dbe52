/** The backends of one gateway: members of its group, and with the source `inline` the inline ones. */

import { compareText, type GatewayConfig, type StaticBackend, type VirtualMCPServerSpec } from '#schemas';
import { type BackendOrigin, toStaticOrigin, toWorkloadOrigin } from '../resolve/backend-origin.ts';
import {
  isGroupResolved,
  listGroupMembers,
  listStrayWorkloads,
  mayHaveBrokenMembers,
} from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import { type BackendAddress, withoutFragment } from './backend-address.ts';
import { checkMountedCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { lowerEntryBackend } from './entry-backend.ts';
import type { OutgoingAuth } from './outgoing-auth.ts';
import { lowerProxyBackend, lowerServerBackend } from './proxy-backend.ts';
import { lowerStdioBackend } from './stdio-backend.ts';

export interface LoweredBackends {
  /** Sorted by name. */
  readonly addresses: readonly BackendAddress[];
  /** Where the address of a backend is written, by the backend's name. */
  readonly origins: ReadonlyMap<string, BackendOrigin>;
}

export function lowerBackends(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
  source: OutgoingAuth['source'],
): LoweredBackends {
  const members = listGroupMembers(context.inventory, gateway.namespace, gateway.spec.groupRef.name);
  const all = [...members.servers, ...members.proxies, ...members.entries];
  reportEqualNames(context, gateway, all);
  const backends = new Map<string, BackendAddress>();
  const origins = new Map<string, BackendOrigin>();
  const add = (address: BackendAddress, origin: BackendOrigin) => {
    backends.set(address.name, address);
    origins.set(address.name, origin);
  };
  for (const item of listStaticBackends(config, source)) {
    const name = item.peek('name');
    if (backends.has(name)) {
      context.report(gateway, 'LNT2008', [...item.path, 'name'], `config.backends names "${name}" twice`);
    }
    add(lowerStaticBackend(context, gateway, item), toStaticOrigin(gateway, name, item.path));
  }
  const inlineNames: ReadonlySet<string> = new Set(backends.keys());
  for (const entry of members.entries.filter(({ name }) => inlineNames.has(name))) {
    const message = `spec has no effect: config.backends of VirtualMCPServer "${gateway.name}" says where "${entry.name}" is`;
    context.report(entry, 'LNT1008', ['spec'], message, { at: 'key' });
  }
  const isMember = ({ name }: Resource) => !inlineNames.has(name);
  for (const server of members.servers.filter(isMember))
    add(lowerStdioBackend(context, server) ?? lowerServerBackend(server), toWorkloadOrigin(server));
  for (const proxy of members.proxies.filter(isMember)) add(lowerProxyBackend(proxy), toWorkloadOrigin(proxy));
  for (const entry of members.entries.filter(isMember)) add(lowerEntryBackend(context, entry), toWorkloadOrigin(entry));
  reportEmpty(context, gateway, source, backends.size);
  return { addresses: [...backends.values()].sort((a, b) => compareText(a.name, b.name)), origins };
}

function listStaticBackends(
  config: Tracked<GatewayConfig> | undefined,
  source: OutgoingAuth['source'],
): readonly Tracked<StaticBackend>[] {
  if (source === 'inline') return config?.items('backends') ?? [];
  config?.ignore(
    'backends',
    'backends written out are used only when the source of outgoing authentication is inline',
    'set spec.outgoingAuth.source to inline',
  );
  return [];
}

/** The platform team wrote this address, so it may be anywhere. */
function lowerStaticBackend(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  item: Tracked<StaticBackend>,
): BackendAddress {
  const caFile = item.get('caBundlePath') ?? '';
  checkMountedCaBundle(context, gateway, caFile, [...item.path, 'caBundlePath']);
  const group = gateway.spec.groupRef.name;
  const metadata = item.child('metadata');
  if (metadata?.peek('group') !== group && isGroupResolved(context.inventory, gateway.namespace, group))
    metadata?.ignore('group', `it is always the group of the gateway, "${group}"`);
  return {
    name: item.get('name'),
    url: withoutFragment(item.get('url')),
    transport: item.get('transport'),
    addresses: 'any',
    headers: [],
    ...(caFile === '' ? {} : { caFile }),
    metadata: {
      ...item.get('metadata'),
      ...(item.get('type') === 'entry' ? { workload_type: 'server_entry' } : {}),
      group,
    },
  };
}

/**
 * Reports a gateway without backends. With the source `inline` all backends are known here, so this is an error. With `discovered` the group may get
 * members later, so it is only a hint.
 */
function reportEmpty(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  source: OutgoingAuth['source'],
  count: number,
): void {
  if (count > 0) return;
  const group = gateway.spec.groupRef.name;
  if (!isCertainlyEmpty(context.inventory, gateway.namespace, group, source)) return;
  context.report(
    gateway,
    'LNT2007',
    ['spec', 'groupRef', 'name'],
    source === 'inline'
      ? `no backends: group "${group}" has no members and config.backends is empty`
      : `group "${group}" has no members in these sources: the gateway will offer nothing`,
    source === 'inline' ? {} : { severity: 'hint' },
  );
}

/** Whether the group is really empty, and does not only seem empty because of another error. */
function isCertainlyEmpty(
  inventory: Inventory,
  namespace: string,
  group: string,
  source: OutgoingAuth['source'],
): boolean {
  if (!isGroupResolved(inventory, namespace, group) || mayHaveBrokenMembers(inventory, namespace, group)) return false;
  // A workload whose group does not exist may be meant for this one. The error in it affects no gateway, so with `inline`, where an empty group is
  // an error, the gateway gets this error too.
  return source === 'inline' || listStrayWorkloads(inventory, namespace).length === 0;
}

/** Backends are known by name alone, so two workloads of different kinds can collide. */
function reportEqualNames(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  members: readonly Resource[],
): void {
  const first = new Map<string, Resource>();
  for (const member of members) {
    const previous = first.get(member.name);
    if (previous === undefined) {
      first.set(member.name, member);
      continue;
    }
    context.report(
      member,
      'LNT2008',
      ['metadata', 'name'],
      `group "${gateway.spec.groupRef.name}" has two backends named "${member.name}"`,
      {
        related: [
          createRelatedLocation(`the other is this ${previous.kind}`, previous.document.doc, ['metadata', 'name']),
        ],
      },
    );
  }
}
