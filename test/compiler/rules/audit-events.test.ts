import { expect, test } from 'vitest';
import { gatewayConfig, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'known event types',
    [
      gatewayConfig(
        '{ audit: { eventTypes: [mcp_tool_call, vmcp_workflow_step_skipped], excludeEventTypes: [http_request, sse_connection] } }',
      ),
    ],
    [],
  ],
  [
    'unknown event types',
    [gatewayConfig('{ audit: { eventTypes: [mcp_tool_calls], excludeEventTypes: [sse_connections] } }')],
    [
      'LNT1011 error 7:35 no audit event is named "mcp_tool_calls"',
      'LNT1011 error 7:72 no audit event is named "sse_connections"',
    ],
  ],
])('the rule auditEvents gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('auditEvents', ...objects)).toEqual(expected);
});
