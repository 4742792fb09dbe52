/**
 * Where a gateway does not connect to: the compiler judges the literals in specs by it, the runtime each connection that it
 * opens. Ranges go by the names of ipaddr.js.
 */

/** Names that lead to the machine or the platform itself, with their sub-domains. */
export const DENIED_HOSTS: readonly string[] = [
  'localhost',
  'metadata.google.internal',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Domains inside of the cluster, hence not public. */
export const PRIVATE_HOSTS: readonly string[] = ['cluster.local'];

/** Platform services on addresses that their range does not give away: Azure's wire server, metadata of AWS and Google. */
export const DENIED_ADDRESSES: readonly string[] = ['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'];

/** Ranges for which leave is needed. All others but `unicast` are denied. */
export const PRIVATE_RANGES: readonly string[] = ['private', 'uniqueLocal'];

/** The only global unicast block of IPv6 that has been assigned so far (RFC 4291, 2.4; IANA). */
export const GLOBAL_UNICAST_V6 = '2000::/3';
