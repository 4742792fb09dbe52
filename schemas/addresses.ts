/**
 * Defines which addresses a connection may reach: one table, which the compiler applies to hosts in specs and the runtime to every
 * connection that it opens.
 */
import ipaddr from 'ipaddr.js';

/**
 * The class of an address. Addresses outside the table below are `reserved`.
 *
 * - `private`: private networks (RFC 1918, RFC 4193); `shared`: a provider's customers, and pods (RFC 6598)
 * - `metadata`: services of the platform that hand out credentials to every client that can connect
 */
export type AddressClass =
  | 'public'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'documentation'
  | 'reserved';

/**
 * The addresses that connections may reach:
 *
 * - `any`: all, including private ones and this machine
 * - `private`: public and private ones
 * - `public`: only public ones
 *
 * No policy permits metadata services, link-local, unspecified, multicast, documentation or reserved addresses.
 */
export type AddressPolicy = 'any' | 'private' | 'public';

/** The operator's option that forbids connections to private addresses, even if specs permit them. */
export interface PrivateDenial {
  /** Hosts that may be private nevertheless: names, `*.` with a domain, or addresses. */
  readonly except: readonly string[];
}

/** The first block that contains the address decides. */
const CLASSES: readonly (readonly [block: string, addressClass: AddressClass])[] = [
  ['169.254.169.254/32', 'metadata'], // AWS, Azure, Google Cloud and most others
  ['169.254.170.2/32', 'metadata'], // credentials of AWS ECS
  ['169.254.170.23/32', 'metadata'], // and of EKS
  ['168.63.129.16/32', 'metadata'], // wire server of Azure
  ['100.100.100.200/32', 'metadata'], // Alibaba Cloud
  ['192.0.0.192/32', 'metadata'], // Oracle Cloud
  ['fd00:ec2::254/128', 'metadata'], // AWS
  ['fd00:ec2::23/128', 'metadata'], // EKS
  ['fd20:ce::254/128', 'metadata'], // Google Cloud
  ['0.0.0.0/8', 'unspecified'], // RFC 1122, 3.2.1.3; Linux connects to itself
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.2.0/24', 'documentation'],
  ['192.0.0.0/24', 'reserved'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'], // 6to4 relays
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'reserved'], // benchmarks
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['0.0.0.0/0', 'public'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['2001::/23', 'reserved'], // Teredo, benchmarks, ORCHID: no servers have such addresses
  ['2002::/16', 'reserved'], // 6to4: hides an IPv4 address, and is out of use
  ['2620:4f:8000::/48', 'reserved'],
  ['2000::/3', 'public'], // all addresses that have been assigned so far (RFC 4291, 2.4; IANA)
];

/** Blocks whose last 32 bits are an IPv4 address behind a translator (RFC 6052). */
const TRANSLATED = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Excludes texts that cannot be an address: for those the library throws and catches an error for each format, which is slow for thousands
 * of host names.
 */
const MAY_BE_ADDRESS = /:|^[\da-fx.]+$/i;

const TABLE = CLASSES.map(([block, addressClass]) => ({ block: ipaddr.parseCIDR(block), addressClass }));

/** Names of metadata services, with their sub-domains. */
export const METADATA_HOSTS: readonly string[] = [
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data.ec2.internal',
];

/** Names of this machine or of the platform itself, with their sub-domains. */
export const PLATFORM_HOSTS: readonly string[] = [
  'localhost',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Domains inside a cluster, hence not public. */
export const PRIVATE_HOSTS: readonly string[] = ['cluster.local'];

/** Address blocks of metadata services in CIDR notation, for network policies. */
export const METADATA_BLOCKS: readonly string[] = CLASSES.flatMap(([block, addressClass]) =>
  addressClass === 'metadata' ? [block] : [],
);

const REACHED: { readonly [policy in AddressPolicy]: readonly AddressClass[] } = {
  any: ['public', 'private', 'shared', 'loopback'],
  private: ['public', 'private'],
  public: ['public'],
};

/** Whether no policy permits addresses of this class. */
export function isNeverReached(addressClass: AddressClass): boolean {
  return !REACHED.any.includes(addressClass);
}

/** The class of an IPv4 or IPv6 address without brackets; undefined for a text that is not an address. */
export function classifyAddress(text: string): AddressClass | undefined {
  // A zone (`fe80::1%eth0`) selects a link and does not change the class.
  if (!MAY_BE_ADDRESS.test(text) || !ipaddr.isValid(text)) return undefined;
  // `process` turns v4-mapped addresses into the IPv4 address that the kernel would connect to.
  const parsed = ipaddr.process(text);
  const address = parsed instanceof ipaddr.IPv6 && parsed.match(TRANSLATED) ? toIpv4(parsed) : parsed;
  const found = TABLE.find(({ block: [start, bits] }) => start.kind() === address.kind() && address.match(start, bits));
  return found?.addressClass ?? 'reserved';
}

function toIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/**
 * Why the policy refuses the host of a URL (a name, or an address with or without brackets); undefined when it allows it. The addresses that an
 * allowed name resolves to have to be checked as well.
 */
export function findRefusedHost(host: string, policy: AddressPolicy, denial?: PrivateDenial): string | undefined {
  const literal = host.replace(/^\[|\]$/g, '');
  const name = literal.toLowerCase().replace(/\.+$/, '');
  if (classifyAddress(literal) !== undefined) return findRefusedAddress(literal, policy, denial, literal);
  if (isWithinAny(name, METADATA_HOSTS)) return 'the name is that of a metadata service';
  const isDenied = denial !== undefined && !isExcepted(name, denial);
  if (policy !== 'any' || isDenied) {
    if (isWithinAny(name, PLATFORM_HOSTS))
      return formatRefusal('the name stands for the platform itself', policy, isDenied);
  }
  if (policy === 'public' || isDenied) {
    if (isWithinAny(name, PRIVATE_HOSTS)) return formatRefusal('the name is internal', policy, isDenied);
  }
  return undefined;
}

/**
 * Why this address is refused; undefined when it is allowed.
 *
 * @param host the host in the URL: the address, or a name that resolves to it
 */
export function findRefusedAddress(
  text: string,
  policy: AddressPolicy,
  denial?: PrivateDenial,
  host: string = text,
): string | undefined {
  const addressClass = classifyAddress(text);
  if (addressClass === undefined) return 'not an address';
  const isDenied = denial !== undefined && !isExcepted(host.toLowerCase().replace(/\.+$/, ''), denial);
  if (REACHED[isDenied ? 'public' : policy].includes(addressClass)) return undefined;
  return formatRefusal(`the address is ${addressClass}`, policy, isDenied && REACHED[policy].includes(addressClass));
}

function formatRefusal(reason: string, policy: AddressPolicy, isDenied: boolean): string {
  return isDenied && policy !== 'public'
    ? `${reason}, and --deny-private-backends is set; --private-backend makes an exception`
    : reason;
}

/** The arguments of `lintel-runtime` that state this denial. */
export function listDenialArguments(denial: PrivateDenial | undefined): readonly string[] {
  if (denial === undefined) return [];
  return ['--deny-private-backends', ...denial.except.flatMap(host => ['--private-backend', host])];
}

/** Whether a text is a valid exception of {@link PrivateDenial}. */
export function isPrivateException(text: string): boolean {
  return classifyAddress(text) !== undefined || /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text);
}

function isExcepted(host: string, { except }: PrivateDenial): boolean {
  return except.some(pattern => {
    const named = pattern.toLowerCase();
    return named.startsWith('*.') ? host.endsWith(named.slice(1)) : host === named;
  });
}

function isWithinAny(name: string, domains: readonly string[]): boolean {
  return domains.some(domain => name === domain || name.endsWith(`.${domain}`));
}
