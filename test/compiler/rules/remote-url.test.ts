/** `remoteUrl` is the address to which a gateway connects; whole specs are in `goldens/cases/remote-urls`. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each(['MCPServerEntry', 'MCPRemoteProxy'])('an %s without a spec gives LNT1010', kind => {
  const bare = object(kind, '').replace(/spec:.*\n$/, '');
  expect(judge('remoteUrl', bare)).toEqual([
    `LNT1010 error 1:1 the ${kind} has no spec, so there is nothing to connect to`,
  ]);
});

test('a remoteUrl at a cloud metadata address outside of the reserved ranges gives LNT6010', () => {
  const entry = object('MCPServerEntry', '{ remoteUrl: http://168.63.129.16/, transport: sse, groupRef: { name: g } }');
  expect(judge('remoteUrl', entry)).toEqual([
    'LNT6010 error 4:20 remoteUrl points to "168.63.129.16", which a gateway never contacts',
  ]);
});

test('a remoteUrl that contains two URLs gives LNT6011, because it has white space in it', () => {
  const spec =
    "{ remoteUrl: 'http://a.example.com/mcp, http://b.example.com/mcp', transport: sse, groupRef: { name: g } }";
  expect(judge('remoteUrl', object('MCPServerEntry', spec))).toEqual([
    'LNT6011 error 4:20 remoteUrl has white space in it',
  ]);
});
