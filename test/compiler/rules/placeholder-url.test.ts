import { expect, test } from 'vitest';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const entry = (url: string) =>
  object('MCPServerEntry', `{ remoteUrl: "${url}", transport: sse, groupRef: { name: tools } }`);

test.each([
  ['https://example.com/mcp', 'example.com'],
  ['https://www.example.org/mcp', 'www.example.org'],
  ['https://TODO/mcp', 'todo'],
  ['https://mcp.changeme.dev/mcp', 'changeme'],
  ['https://your-domain.com/mcp', 'your-domain'],
  ['https://mcp.linear.app/TODO', 'TODO'],
  ['https://mcp.linear.app/<team>/mcp', '<team>'],
])('the remoteUrl %s gives LNT6026 about the placeholder "%s"', (url, word) => {
  expect(judge('placeholderUrl', entry(url))).toEqual([
    `LNT6026 warning 4:20 remoteUrl has "${word}" in place of a name, and no server answers there`,
  ]);
});

test.each([
  ['https://docs.example.com/mcp'],
  ['https://todoist.com/mcp'],
  ['https://mcp.linear.app/todo/mcp'],
  ['https://yourserver.dev/mcp'],
])('the rule placeholderUrl gives no finding about the remoteUrl %s', url => {
  expect(judge('placeholderUrl', entry(url))).toEqual([]);
});

test('LNT6026 also reports placeholder URLs of backends that a gateway lists and of MCPRemoteProxy objects', () => {
  const backend = gatewayConfig('{ backends: [{ name: a, url: "https://example.com/mcp", transport: sse }] }');
  const proxy = object('MCPRemoteProxy', '{ remoteUrl: "https://example.com/mcp", transport: sse }', 'proxy');
  expect(findings('placeholderUrl', backend, proxy).map(({ pointer }) => pointer)).toEqual([
    '/spec/config/backends/0/url',
    '/spec/remoteUrl',
  ]);
});
