/** The specs that `lintel init` writes if no server is given: a gateway with a placeholder server. */
import { formatSpecs } from './specs-text.ts';
import type { StarterRemote } from './starter-server.ts';
import { toServerName } from './url-name.ts';

/** The placeholder's URL, until the operator replaces it; `lintel check` reports it. */
export const SAMPLE_URL = 'https://example.com/mcp';

export const DESCRIPTION = 'The servers behind the gateway.';

export function createRemoteServer(url: string): StarterRemote {
  const transport = URL.parse(url)?.pathname.endsWith('/sse') ? 'sse' : 'streamable-http';
  return { name: toServerName(url), url, transport, plainHeaders: {}, secretHeaders: [], tools: undefined };
}

/** The gateway, if the specs are unchanged since `lintel init` wrote them with the placeholder; otherwise undefined. */
export function sampleGateway(text: string): string | undefined {
  const [, name] = /^kind: VirtualMCPServer\nmetadata:\n {2}name: (.+)$/m.exec(text) ?? [];
  if (name === undefined) return undefined;
  return formatSpecs({ name, description: DESCRIPTION, servers: [createRemoteServer(SAMPLE_URL)] }) === text
    ? name
    : undefined;
}
