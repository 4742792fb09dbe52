import { expect, test } from 'vitest';
import { gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

const entry = (headers: string) =>
  object(
    'MCPServerEntry',
    `{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, headerForward: ${headers} }`,
  );

test.each<[string, string[], string[]]>([
  [
    'headers of applications',
    [
      gateway('incomingAuth: { type: anonymous }\n  passthroughHeaders: [X-Tenant]'),
      entry(
        '{ addPlaintextHeaders: { Authorization: Basic }, addHeadersFromSecret: [{ headerName: X-Key, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    [],
  ],
  [
    'credential headers of the caller',
    [gateway('incomingAuth: { type: anonymous }\n  passthroughHeaders: [authorization, Cookie]')],
    [
      'LNT6002 error 7:24 the header "authorization" carries the credentials of the caller, which a gateway never sends to backends',
      'LNT6002 error 7:39 the header "Cookie" carries the credentials of the caller, which a gateway never sends to backends',
    ],
  ],
  [
    'headers of the connection',
    [
      gatewayConfig('{ passthroughHeaders: [Host, x-real-ip, TE] }'),
      entry(
        '{ addPlaintextHeaders: { Transfer-Encoding: chunked }, addHeadersFromSecret: [{ headerName: Forwarded, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    [
      'LNT6002 error 7:34 the header "Host" belongs to one connection and cannot be forwarded',
      'LNT6002 error 7:40 the header "x-real-ip" belongs to one connection and cannot be forwarded',
      'LNT6002 error 7:51 the header "TE" belongs to one connection and cannot be forwarded',
      'LNT6002 error 12:126 the header "Transfer-Encoding" belongs to one connection and cannot be forwarded',
      'LNT6002 error 12:193 the header "Forwarded" belongs to one connection and cannot be forwarded',
    ],
  ],
  [
    'headers of MCP',
    [
      gateway('incomingAuth: { type: anonymous }\n  passthroughHeaders: [Accept-Encoding, mcp-session-id]'),
      entry(
        '{ addPlaintextHeaders: { Content-Type: text/plain }, addHeadersFromSecret: [{ headerName: Mcp-Param-Region, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    [
      'LNT6002 error 7:24 the header "Accept-Encoding" belongs to the protocol of gateway and backend and cannot be forwarded',
      'LNT6002 error 7:41 the header "mcp-session-id" belongs to the protocol of gateway and backend and cannot be forwarded',
      'LNT6002 error 12:126 the header "Content-Type" belongs to the protocol of gateway and backend and cannot be forwarded',
      'LNT6002 error 12:191 the header "Mcp-Param-Region" belongs to the protocol of gateway and backend and cannot be forwarded',
    ],
  ],
  [
    'headers with a surprising effect',
    [
      gateway('incomingAuth: { type: anonymous }\n  passthroughHeaders: [Origin, User-Agent]'),
      entry('{ addPlaintextHeaders: { Origin: "https://app.example.com", user-agent: us } }'),
    ],
    [
      'LNT6002 warning 7:24 the header "Origin" says that a web page calls the backend itself, which backends refuse',
      'LNT6002 warning 7:32 the header "User-Agent" has no effect: the gateway sends its own',
      'LNT6002 warning 12:161 the header "user-agent" has no effect: the gateway sends its own',
    ],
  ],
  [
    'invalid header names',
    [
      gatewayConfig('{ passthroughHeaders: ["X Tenant", ""] }'),
      entry('{ addPlaintextHeaders: { "a:b": v, ok: "a\\r\\nb" } }'),
    ],
    [
      'LNT6013 error 7:34 "X Tenant" is not the name of a header',
      'LNT6013 error 7:46 "" is not the name of a header',
      'LNT6013 error 12:126 "a:b" is not the name of a header',
      'LNT6013 error 12:140 the value of "ok" contains a line break',
    ],
  ],
  [
    'a header name twice, in different case',
    [
      entry(
        '{ addPlaintextHeaders: { X-A: a, x-a: b }, addHeadersFromSecret: [{ headerName: X-a, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    ['LNT6015 error 4:124 the header "x-a" is set twice', 'LNT6015 error 4:181 the header "X-a" is set twice'],
  ],
])('the rule forwardedHeaders gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('forwardedHeaders', ...objects)).toEqual(expected);
});
