import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);

test.each<[string, string[], string[]]>([
  [
    'a header with one value',
    [
      strategy('{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }'),
      strategy('{ type: header_injection, headerInjection: { headerName: X-Key, headerValue: v } }'),
      object(
        'MCPExternalAuthConfig',
        '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: s, key: k } } }',
      ),
    ],
    [],
  ],
  [
    'a header with two values and a header without a value',
    [
      strategy('{ type: header_injection, headerInjection: { headerName: X, headerValue: v, headerValueEnv: V } }'),
      strategy('{ type: header_injection, headerInjection: { headerName: X } }'),
    ],
    [
      'LNT1021 error 7:130 headerValue and headerValueEnv exclude each other',
      'LNT1010 error 15:97 headerInjection needs headerValueEnv or headerValue',
    ],
  ],
  [
    'an invalid header',
    [
      strategy('{ type: header_injection, headerInjection: { headerName: "X Key", headerValue: "a\\nb" } }'),
      object(
        'MCPExternalAuthConfig',
        '{ type: headerInjection, headerInjection: { headerName: "X:", valueSecretRef: { name: s, key: k } } }',
      ),
    ],
    [
      'LNT6013 error 7:111 "X Key" is not the name of a header',
      'LNT6013 error 7:120 headerValue contains a line break',
      'LNT6013 error 12:63 "X:" is not the name of a header',
    ],
  ],
  [
    'headers that cannot carry a credential',
    ['Host', 'content-type', 'Mcp-Session-Id'].map(name =>
      object(
        'MCPExternalAuthConfig',
        `{ type: headerInjection, headerInjection: { headerName: ${name}, valueSecretRef: { name: s, key: k } } }`,
      ),
    ),
    [
      'LNT6002 error 4:63 the header "Host" belongs to one connection and cannot carry a credential',
      'LNT6002 error 9:63 the header "content-type" belongs to the protocol of gateway and backend and cannot carry a credential',
      'LNT6002 error 14:63 the header "Mcp-Session-Id" belongs to the protocol of gateway and backend and cannot carry a credential',
    ],
  ],
  [
    'Authorization, Cookie and Proxy-Authorization',
    ['Authorization', 'Cookie', 'Proxy-Authorization'].map(name =>
      strategy(`{ type: header_injection, headerInjection: { headerName: ${name}, headerValueEnv: KEY } }`),
    ),
    [],
  ],
])('the rule injectedHeaders gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('injectedHeaders', ...objects)).toEqual(expected);
});
