/** The specs that `lintel init` writes for any servers: a gateway serves each server that is in them, and the others are listed with a reason. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findErrors, findServerProblem } from '../../../compiler/starter/server-problem.ts';
import { formatSpecs } from '../../../compiler/starter/specs-text.ts';
import type { StarterServer } from '../../../compiler/starter/starter-server.ts';
import { toServerName } from '../../../compiler/starter/url-name.ts';

function serverAt(url: string, more: Partial<StarterServer> = {}): StarterServer {
  const usual = { transport: 'streamable-http', plainHeaders: {}, secretHeaders: [], tools: undefined } as const;
  return { name: toServerName(url), url, ...usual, ...more };
}

test.each<[name: string, url: string, more?: Partial<StarterServer>]>([
  ['linear', 'https://mcp.linear.app/sse', { transport: 'sse' }],
  ['githubcopilot', 'https://api.githubcopilot.com/mcp/', { secretHeaders: ['Authorization', 'X-Other-Key'] }],
  ['example', 'https://mcp.example.com/mcp?read_only=true', { plainHeaders: { 'X-MCP-Readonly': 'true' } }],
  ['local', 'http://10.0.0.7:8000/mcp', { tools: ['search', 'read'] }],
  ['local', 'http://[::1]:8000/mcp', { secretHeaders: ['X-Api-Key'], tools: ['search', 'read'] }],
  ['local', 'http://localhost:8000/mcp'],
])('lintel init names a server "%s" for the URL %s, and writes specs without errors', (name, url, more) => {
  const server = serverAt(url, more);
  expect([server.name, findServerProblem(server)]).toEqual([name, undefined]);
  const beside = serverAt('http://127.0.0.1:9/mcp', { name: 'beside', tools: ['search'] });
  const text = formatSpecs({ name: 'tools', description: 'Two servers.', servers: [server, beside] });
  expect(findErrors(text)).toEqual([]);
  expect(text).not.toMatch(/[&*]a1/);
  const gateway = parseAllDocuments(text).at(-1)?.toJS();
  expect(gateway.spec.config.aggregation.tools).toEqual([
    { workload: name, ...(server.tools && { filter: server.tools }) },
    { workload: 'beside', filter: ['search'] },
  ]);
});

test.each<[what: string, server: StarterServer, problem: string]>([
  [
    'a server at a cloud metadata address',
    serverAt('http://169.254.169.254/mcp'),
    'remoteUrl points to "169.254.169.254", which a gateway never contacts (LNT6010)',
  ],
  [
    'a server with a header of the connection',
    serverAt('https://mcp.example.com/mcp', { secretHeaders: ['Host'] }),
    'the header "Host" belongs to one connection and cannot be forwarded (LNT6002)',
  ],
  [
    'a server on the machine with two secret headers',
    serverAt('http://127.0.0.1:8000/mcp', { secretHeaders: ['A', 'B'] }),
    'a server on this machine gets one header, and that from a variable: leave the others out',
  ],
])('lintel init refuses %s', (_, server, problem) => {
  expect(findServerProblem(server)).toBe(problem);
});
