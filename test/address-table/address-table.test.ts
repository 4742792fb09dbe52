/** What the compiler lets pass the runtime connects to, and the other way round, for every literal. */
import { expect, test } from 'vitest';
import { METADATA_BLOCKS, METADATA_HOSTS, PLATFORM_HOSTS, PRIVATE_HOSTS, refusedHost } from '#schemas';
import { remoteUrl } from '../../compiler/rules/remote-url.ts';
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

test.each(
  [...HOSTS, ...ADDRESSES].flatMap(host => [false, true].map(isPrivateAllowed => ({ host, isPrivateAllowed }))),
)('$host with allowPrivateEndpoint $isPrivateAllowed', ({ host, isPrivateAllowed }) => {
  const url = `https://${host.includes(':') ? `[${host}]` : host}/mcp`;
  const spec = `{ remoteUrl: '${url}', transport: sse, groupRef: { name: g }, allowPrivateEndpoint: ${isPrivateAllowed} }`;
  const found = judge(remoteUrl, object('MCPServerEntry', spec));
  const policy = isPrivateAllowed ? 'private' : 'public';
  const refused = refusedHost(host, policy);
  expect(found.map(line => line.slice(0, 7))).toEqual(refused === undefined ? [] : ['LNT6010']);
});
