/** The compiler allows exactly those IP addresses to which the runtime connects. */
import { expect, test } from 'vitest';
import { findRefusedHost, METADATA_BLOCKS, METADATA_HOSTS, PLATFORM_HOSTS, PRIVATE_HOSTS } from '#schemas';
import { classifyHost } from '../../compiler/analysis/registry/host-kind.ts';
import { lowerProviderAddresses } from '../../compiler/lower/token-provider.ts';
import { specifiedPlan } from '../runtime/auth-server/specified-issuer.ts';
import { judge, object } from '../support/rule.ts';

const HOSTS = [
  ...[...METADATA_HOSTS, ...PLATFORM_HOSTS, ...PRIVATE_HOSTS].flatMap(host => [
    host,
    `a.${host}`,
    `x${host}`,
    `${host}.example.com`,
  ]),
  'mcp.example.com',
  'tools.team.svc',
  'tools',
  'login.corp.internal',
  'id.home.lan',
  'LOCALHOST',
  'localhost.',
];

const ADDRESSES = [
  ...METADATA_BLOCKS.map(block => block.replace(/\/\d+$/, '')),
  '93.184.215.14',
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '2606:2800:21f:cb07::1',
  '::',
  '::1',
  'fe80::1',
  'fd12::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::7f00:1',
  '64:ff9b::a00:1',
  '2001:db8::1',
  '4000::1',
];

const CASES = [...HOSTS, ...ADDRESSES].flatMap(host =>
  [false, true].map(isPrivateAllowed => ({
    host,
    isPrivateAllowed,
    url: `https://${host.includes(':') ? `[${host}]` : host}/mcp`,
  })),
);

test.each(CASES)(
  'compiler and runtime agree whether remoteUrl may have the host $host if allowPrivateEndpoint is $isPrivateAllowed',
  ({ host, isPrivateAllowed, url }) => {
    const spec = `{ remoteUrl: '${url}', transport: sse, groupRef: { name: g }, allowPrivateEndpoint: ${isPrivateAllowed} }`;
    const found = judge('remoteUrl', object('MCPServerEntry', spec));
    const policy = isPrivateAllowed ? 'private' : 'public';
    const refused = findRefusedHost(host, policy);
    expect(found.map(line => line.slice(0, 7))).toEqual(refused === undefined ? [] : ['LNT6010']);
  },
);

const ORIGIN = 'http://127.0.0.1:4483';

test.each(CASES)(
  'compiler and runtime agree whether authorization server URLs may have the host $host if allowPrivateIPs is $isPrivateAllowed',
  ({ host, isPrivateAllowed: allowPrivateIPs, url }) => {
    const oauth2Config = {
      authorizationEndpoint: 'https://forge.example.com/authorize',
      tokenEndpoint: url,
      clientId: 'gw',
      clientSecretRef: { name: 'forge', key: 'secret' },
      identityFromToken: { subjectPath: 'sub' },
      allowPrivateIPs,
    };
    const jwtBearerGrant = {
      maxAssertionAge: '5m',
      subjectBindings: [{ subject: 'planner', allowedResources: ['https://a.example.com'] }],
    };
    const { found, plan } = specifiedPlan(ORIGIN, {
      upstreamProviders: [{ name: 'forge', type: 'oauth2', oauth2Config }],
      trustedIssuers: [{ issuerUrl: 'https://issuer.example.com', jwksUrl: url, allowPrivateIPs, jwtBearerGrant }],
    });
    const policies = {
      'upstreamProviders/0/oauth2Config/tokenEndpoint': allowPrivateIPs ? 'any' : 'public',
      'trustedIssuers/0/jwksUrl': lowerProviderAddresses(allowPrivateIPs, [url]),
    } as const;
    const refused = Object.entries(policies).filter(([, policy]) => findRefusedHost(host, policy) !== undefined);
    expect(found.map(finding => finding.replace(/:.*/, '')).sort()).toEqual(
      refused.map(([field]) => `LNT6010 ${field}`).sort(),
    );
    if (refused.length === 0)
      expect([plan?.upstreams[0]?.addresses, plan?.trustedIssuers[0]?.addresses]).toEqual(Object.values(policies));
  },
);

// The gateway's own authorization server may be on this machine. The API server is named by a separate field.
test.each(CASES.filter(({ url }) => classifyHost(url) !== 'platform'))(
  'compiler and runtime agree whether an OIDC issuer may have the host $host if jwksAllowPrivateIP is $isPrivateAllowed',
  ({ host, isPrivateAllowed, url }) => {
    const spec = `{ type: inline, inline: { issuer: '${url}', jwksAllowPrivateIP: ${isPrivateAllowed} } }`;
    const errors = judge('contactedHosts', object('MCPOIDCConfig', spec)).filter(line =>
      line.startsWith('LNT6010 error'),
    );
    expect(errors).toHaveLength(
      findRefusedHost(host, lowerProviderAddresses(isPrivateAllowed, [url])) === undefined ? 0 : 1,
    );
  },
);
