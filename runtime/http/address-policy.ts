/**
 * Where a connection may go. Pure: names and addresses in, a verdict out; `client.ts` asks before every connect, with the
 * literal in the URL and with every answer of the name service, so that neither redirects nor DNS rebinding get past it.
 */
import ipaddr from 'ipaddr.js';
import {
  type AddressPolicy,
  DENIED_ADDRESSES,
  DENIED_HOSTS,
  GLOBAL_UNICAST_V6,
  PRIVATE_HOSTS,
  PRIVATE_RANGES,
} from '#schemas';

/** A connection that the address policy forbids. The message names the host and the address, nothing else of the URL. */
export class AddressRefusedError extends Error {
  readonly code = 'ERR_HTTP_ADDRESS_REFUSED';
  readonly host: string;
  constructor(host: string, reason: string) {
    super(`connecting to ${host} is not allowed: ${reason}`);
    this.name = 'AddressRefusedError';
    this.host = host;
  }
}

const GLOBAL_V6 = ipaddr.IPv6.parseCIDR(GLOBAL_UNICAST_V6);

/**
 * Why this host name is refused, or undefined when nothing speaks against it. An allowed name says nothing about the
 * addresses behind it.
 */
export function refusedName(name: string, policy: AddressPolicy): string | undefined {
  if (policy === 'any') return undefined;
  const plain = name.toLowerCase().replace(/\.+$/, '');
  if (DENIED_HOSTS.some(denied => isWithin(plain, denied))) return 'the name stands for the platform itself';
  if (policy === 'public' && PRIVATE_HOSTS.some(inner => isWithin(plain, inner))) return 'the name is internal';
  return undefined;
}

/** Why this address (IPv4 or IPv6, without brackets) is refused, or undefined when it is allowed. */
export function refusedAddress(text: string, policy: AddressPolicy): string | undefined {
  if (policy === 'any') return undefined;
  if (!ipaddr.isValid(text)) return 'not an address';
  // `process` turns v4-mapped addresses into the IPv4 address that the kernel would connect to.
  const address = ipaddr.process(text);
  const range = rangeOf(address);
  if (isDeniedAddress(address)) return 'a platform service';
  if (range === 'unicast') return undefined;
  if (policy === 'private' && PRIVATE_RANGES.includes(range)) return undefined;
  return `its range is ${range}`;
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  // What no table names counts as unicast there: `::7f00:1` (v4-compatible) and unassigned blocks.
  if (range === 'unicast' && address.kind() === 'ipv6' && !address.match(GLOBAL_V6)) return 'unassigned';
  return range;
}

function isDeniedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const text = address.toString();
  return DENIED_ADDRESSES.some(denied => ipaddr.parse(denied).toString() === text);
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
