/** Names given to tools are valid MCP tool names (2025-11-25, tool names). */
import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'names of letters, digits, "_", "-" and "."',
    [
      gatewayConfig(
        "{ aggregation: { tools: [{ workload: a, filter: [x], overrides: { 'any name': { name: A.b-c_9, description: d }, y: { description: d, name: '' } } }] } }",
      ),
      object('MCPToolConfig', '{ toolsFilter: [x], toolsOverride: { x: { description: d } } }'),
    ],
    [],
  ],
  [
    'other characters in names of overrides',
    [
      gatewayConfig(
        "{ aggregation: { tools: [{ workload: a, overrides: { x: { name: create issue }, y: { name: 'häuser' } } }] } }",
      ),
      object('MCPToolConfig', '{ toolsOverride: { x: { name: a/b } } }'),
      object('MCPToolConfig', `{ toolsOverride: { x: { name: ${'a'.repeat(129)} } } }`),
    ],
    [
      'LNT1047 error 7:75 the gateway would withhold the tool "create issue" from clients: the name has spaces, control characters or invisible ones; use 1 to 128 letters, digits, "_", "-" and "."',
      'LNT1047 warning 7:102 "häuser" is not a tool name that every client accepts: 1 to 128 letters, digits, "_", "-" and "."',
      'LNT1047 warning 12:37 "a/b" is not a tool name that every client accepts: 1 to 128 letters, digits, "_", "-" and "."',
      'LNT1047 error 17:37 the gateway would withhold the tool "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" from clients: the name is longer than 128 characters; use 1 to 128 letters, digits, "_", "-" and "."',
    ],
  ],
  [
    'other characters in names of workflows',
    [gatewayConfig('{ compositeTools: [{ name: a b, steps: [] }, { name: "", steps: [] }] }')],
    [
      'LNT1047 error 7:38 the gateway would withhold the tool "a b" from clients: the name has spaces, control characters or invisible ones; use 1 to 128 letters, digits, "_", "-" and "."',
    ],
  ],
  [
    'filters of impossible names',
    [
      gatewayConfig("{ aggregation: { tools: [{ workload: a, filter: ['', 'a,b', 'a b'] }] } }"),
      object('MCPToolConfig', '{ toolsFilter: ["a\\nb"] }'),
    ],
    [
      'LNT1047 warning 7:60 this filter matches no tool: an entry is one name, without commas and line breaks',
      'LNT1047 warning 7:64 this filter matches no tool: an entry is one name, without commas and line breaks',
      'LNT1047 warning 12:23 this filter matches no tool: an entry is one name, without commas and line breaks',
    ],
  ],
])('the rule toolNames gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('toolNames', ...objects)).toEqual(expected);
});
