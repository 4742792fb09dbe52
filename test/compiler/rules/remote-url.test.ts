/** `remoteUrl` is the address to which a gateway connects; whole specs are in `goldens/cases/remote-urls`. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each(['MCPServerEntry', 'MCPRemoteProxy'])('%s without a spec has nothing to connect to', kind => {
  const bare = object(kind, '').replace(/spec:.*\n$/, '');
  expect(judge('remoteUrl', bare)).toEqual([
    `LNT1010 error 1:1 the ${kind} has no spec, so there is nothing to connect to`,
  ]);
});

test('addresses that their range does not give away', () => {
  const entry = object('MCPServerEntry', '{ remoteUrl: http://168.63.129.16/, transport: sse, groupRef: { name: g } }');
  expect(judge('remoteUrl', entry)).toEqual([
    'LNT6010 error 4:20 remoteUrl points to "168.63.129.16", which a gateway never contacts',
  ]);
});

test('two URLs in one field are no URL', () => {
  const spec =
    "{ remoteUrl: 'http://a.example.com/mcp, http://b.example.com/mcp', transport: sse, groupRef: { name: g } }";
  expect(judge('remoteUrl', object('MCPServerEntry', spec))).toEqual([
    'LNT6011 error 4:20 remoteUrl has white space in it',
  ]);
});
