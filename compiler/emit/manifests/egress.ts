/** The destination of a URL in terms of a network policy. */
import ipaddr from 'ipaddr.js';
import { type AddressPolicy, CLUSTER_SERVICE_DOMAIN, classifyAddress, GATEWAY_PORT, METADATA_BLOCKS } from '#schemas';
import type { Destination } from './destinations.ts';

/** A destination of a NetworkPolicy. */
export type Peer =
  | { readonly ipBlock: { readonly cidr: string; readonly except?: readonly string[] } }
  | { readonly namespaceSelector: { readonly matchLabels: { readonly [label: string]: string } } };

export interface Egress {
  readonly to: readonly Peer[];
  /** Null for all ports: the port of the pods behind a Service is unknown. */
  readonly ports: readonly number[] | null;
}

/** Link-local addresses, above all the node's metadata service. */
const LINK_LOCAL = { v4: ['169.254.0.0/16'], v6: ['fe80::/10'] };

/** Private ranges (RFC 1918, RFC 4193) and carrier-grade NAT (RFC 6598). */
const PRIVATE = { v4: ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'], v6: ['fc00::/7'] };

/** Ports of the API server: that of its Service, and usually its own. */
const API_SERVER_PORTS = [443, 6443];

const API_SERVER = /^kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?$/;
const SERVICE = new RegExp(
  `^(?:[^.]+\\.)+?([^.]+)\\.svc(?:${CLUSTER_SERVICE_DOMAIN.slice('svc'.length).replaceAll('.', '\\.')})?$`,
);

/** Undefined for anything but a web or Redis address, and for the pod itself, which policies do not restrict. */
export function resolveEgress(destination: Destination, ownNamespace: string): Egress | undefined {
  const { url, addresses, isPodPort = false, isAnyPort = false } = destination;
  const parsed = URL.parse(url);
  if (parsed === null || !/^(?:https?|redis):$/.test(parsed.protocol)) return undefined;
  const port = Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80));
  const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const ports = isAnyPort ? null : [port];
  if (classifyAddress(host) !== undefined) return toAddress(host, ports);
  if (host === '' || /(?:^|\.)localhost$/.test(host)) return undefined;
  if (API_SERVER.test(host)) return API_SERVER_EGRESS;
  const namespace = host.includes('.') ? SERVICE.exec(host)?.[1] : ownNamespace;
  if (namespace !== undefined)
    return { to: [toNamespacePeer(namespace)], ports: isPodPort ? [port, GATEWAY_PORT] : null };
  return { to: listAnywherePeers(addresses), ports };
}

function toAddress(literal: string, ports: readonly number[] | null): Egress | undefined {
  const address = ipaddr.process(literal);
  if (address.range() === 'loopback') return undefined;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  return { to: [{ ipBlock: { cidr: `${address}/${bits}` } }], ports };
}

function toNamespacePeer(name: string): Peer {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } };
}

/** Any address that a name may resolve to, except metadata services, for which there is no legitimate name. */
function listAnywherePeers(addresses: AddressPolicy): readonly Peer[] {
  const { v4, v6 } = addresses === 'public' ? PRIVATE : { v4: [], v6: [] };
  const denied = (kind: 'ipv4' | 'ipv6', ranges: readonly string[]) =>
    METADATA_BLOCKS.filter(block => {
      const [address] = ipaddr.parseCIDR(block);
      return address.kind() === kind && !ranges.some(range => address.match(ipaddr.parseCIDR(range)));
    });
  return [
    { ipBlock: { cidr: '0.0.0.0/0', except: [...v4, ...denied('ipv4', [...v4, ...LINK_LOCAL.v4]), ...LINK_LOCAL.v4] } },
    { ipBlock: { cidr: '::/0', except: [...v6, ...denied('ipv6', [...v6, ...LINK_LOCAL.v6]), ...LINK_LOCAL.v6] } },
  ];
}

/** The API server is outside of the pod network, at an address that only the cluster knows. */
export const API_SERVER_EGRESS: Egress = { to: listAnywherePeers('any'), ports: API_SERVER_PORTS };
