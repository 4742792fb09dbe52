/** What `lintel init` writes where it is given no server: a gateway with one that is not there. */
import { formatSpecs } from './specs-text.ts';
import type { StarterRemote } from './starter-server.ts';
import { toServerName } from './url-name.ts';

/** Stands for a server until the operator writes the URL of one; `lintel check` finds it. */
export const SAMPLE_URL = 'https://example.com/mcp';

export const DESCRIPTION = 'The servers behind the gateway.';

export function createRemoteServer(url: string): StarterRemote {
  const transport = URL.parse(url)?.pathname.endsWith('/sse') ? 'sse' : 'streamable-http';
  return { name: toServerName(url), url, transport, plainHeaders: {}, secretHeaders: [], tools: undefined };
}

/** The gateway of specs that are as `lintel init` wrote them without a server; undefined of all others. */
export function sampleGateway(text: string): string | undefined {
  const [, name] = /^kind: VirtualMCPServer\nmetadata:\n {2}name: (.+)$/m.exec(text) ?? [];
  if (name === undefined) return undefined;
  return formatSpecs({ name, description: DESCRIPTION, servers: [createRemoteServer(SAMPLE_URL)] }) === text
    ? name
    : undefined;
}
