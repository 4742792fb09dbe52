/** The backends of one gateway: members of its group, and those written out when the source is `inline`. */
import { compareText, type GatewayConfig, type StaticBackend, type VirtualMCPServerSpec } from '#schemas';
import { membersOf } from '../resolve/group-members.ts';
import type { Resource } from '../resolve/inventory.ts';
import { type BackendAddress, withoutFragment } from './backend-address.ts';
import { type BackendOrigin, staticOrigin, workloadOrigin } from './backend-origin.ts';
import type { LoweringContext } from './context.ts';
import { entryBackend } from './entry-backend.ts';
import type { OutgoingAuth } from './outgoing-auth.ts';
import { proxyBackend, serverBackend } from './proxy-backend.ts';
import type { Tracked } from './tracked.ts';

export interface LoweredBackends {
  /** Sorted by name. */
  readonly addresses: readonly BackendAddress[];
  /** By name of the backend. */
  readonly origins: ReadonlyMap<string, BackendOrigin>;
}

export function lowerBackends(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
  outgoing: OutgoingAuth,
): LoweredBackends {
  const members = membersOf(context.inventory, gateway.namespace, gateway.spec.groupRef.name);
  const backends = new Map<string, BackendAddress>();
  const all = [...members.servers, ...members.proxies, ...members.entries];
  const origins = new Map<string, BackendOrigin>(all.map(member => [member.name, workloadOrigin(member)]));
  reportEqualNames(context, gateway, all);
  for (const server of members.servers) backends.set(server.name, serverBackend(context, server, outgoing));
  for (const proxy of members.proxies) backends.set(proxy.name, proxyBackend(context, proxy, outgoing));
  for (const entry of members.entries) backends.set(entry.name, entryBackend(context, entry, outgoing));

  if (outgoing.source === 'inline') {
    const named = new Set<string>();
    for (const item of config?.items('backends') ?? []) {
      const name = item.peek('name');
      if (named.has(name))
        context.report(gateway, 'LNT2008', [...item.path, 'name'], `config.backends names "${name}" twice`);
      named.add(name);
      const entry = members.entries.find(member => member.name === name);
      if (entry !== undefined) {
        const message = `spec has no effect: config.backends of VirtualMCPServer "${gateway.name}" says where "${name}" is`;
        context.report(entry, 'LNT1008', ['spec'], message, { at: 'key' });
      }
      backends.set(name, staticBackend(gateway, item));
      origins.set(name, staticOrigin(gateway, name, item.path));
    }
  } else {
    config?.ignore(
      'backends',
      'backends written out are used only when the source of outgoing authentication is inline',
      'set spec.outgoingAuth.source to inline',
    );
  }
  reportEmpty(context, gateway, outgoing, backends.size);
  return { addresses: [...backends.values()].sort((a, b) => compareText(a.name, b.name)), origins };
}

/** Who wrote the address decides what it may reach: the platform team wrote these, so nothing is off limits. */
function staticBackend(gateway: Resource<VirtualMCPServerSpec>, item: Tracked<StaticBackend>): BackendAddress {
  item.unsupported('caBundlePath', 'a CA bundle by path');
  const group = gateway.spec.groupRef.name;
  const metadata = item.child('metadata');
  if (metadata?.peek('group') !== group) metadata?.ignore('group', `it is always the group of the gateway, "${group}"`);
  return {
    name: item.get('name'),
    url: withoutFragment(item.get('url')),
    transport: item.get('transport'),
    addresses: 'any',
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {
      ...item.get('metadata'),
      ...(item.get('type') === 'entry' ? { workload_type: 'server_entry' } : {}),
      group,
    },
  };
}

/** Static backends are all there will ever be; a group may still get members. */
function reportEmpty(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  { source }: OutgoingAuth,
  count: number,
): void {
  if (count > 0) return;
  const group = gateway.spec.groupRef.name;
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

/** Backends are known by bare names, so two workloads of different kinds can collide. */
function reportEqualNames(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  members: readonly Resource[],
): void {
  const first = new Map<string, Resource>();
  for (const member of members) {
    const earlier = first.get(member.name);
    if (earlier === undefined) {
      first.set(member.name, member);
      continue;
    }
    const { doc } = earlier.document;
    context.report(
      member,
      'LNT2008',
      ['metadata', 'name'],
      `group "${gateway.spec.groupRef.name}" has two backends named "${member.name}"`,
      {
        related: [
          {
            message: `the other is this ${earlier.kind}`,
            file: doc.file,
            range: doc.locate(['metadata', 'name'], 'value'),
          },
        ],
      },
    );
  }
}
