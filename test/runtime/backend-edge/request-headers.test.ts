import { expect, test } from 'vitest';
import type { BackendContext } from '../../../runtime/gateway/backends/context.ts';
import { buildStatelessHeaders } from '../../../runtime/gateway/backends/stateless/request-headers.ts';

test('the gateway sends more Mcp-Param headers for a tool than a JavaScript function call can have arguments', () => {
  const paramHeaders = Array.from({ length: 75_000 }, (_, index) => [`mcp-param-p${index}`, 'x']).flat();
  const request = { text: '{}', id: '1', method: 'tools/call', name: 't', paramHeaders, unknownHeaders: paramHeaders };
  const headers = buildStatelessHeaders({} as BackendContext, request, ['accept', 'x']);
  expect(headers.slice(0, 6)).toEqual(['accept', 'x', 'mcp-method', 'tools/call', 'mcp-name', 't']);
  expect(headers.slice(6)).toEqual([...paramHeaders, ...paramHeaders]);
});
