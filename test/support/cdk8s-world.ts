/** A chart with one group and two locked backends, for tests of gateways in TypeScript. */
import { ApiObject, App, Chart } from 'cdk8s';
import { Backend, Group, type Incoming, lockedBackend } from '../../compiler/cdk8s/index.ts';
import type { Offers } from './gateway-rule.ts';

interface AnyTool {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: unknown;
}

const github = lockedBackend<{ search: AnyTool; create_issue: AnyTool; delete_repo: AnyTool }>({
  key: 'default/MCPServerEntry/github',
  name: 'github',
  toolNames: ['create_issue', 'delete_repo', 'search'],
});
const docs = lockedBackend<{ search: AnyTool; read: AnyTool }>({
  key: 'default/MCPServerEntry/docs',
  name: 'docs',
  toolNames: ['read', 'search'],
});

const READS = { readOnlyHint: true };

/** The content of the lock. */
export const OFFERS: Offers = {
  [github.key]: {
    tools: [
      { name: 'create_issue', annotations: { destructiveHint: false } },
      { name: 'delete_repo', annotations: { destructiveHint: true } },
      { name: 'search', annotations: READS },
    ],
  },
  [docs.key]: {
    tools: [
      { name: 'read', annotations: READS },
      { name: 'search', annotations: READS },
    ],
    prompts: ['outline'],
    resources: [
      { uri: 'docs://handbook/start', name: 'start' },
      { uri: 'docs://drafts/one', name: 'one' },
    ],
  },
};

export function world() {
  const chart = new Chart(new App(), 'world', { disableResourceNameHashes: true });
  const group = new Group(chart, 'tools');
  const entry = { group, transport: 'streamable-http' } as const;
  return {
    chart,
    group,
    github: Backend.entry(chart, 'github', { ...entry, remoteUrl: 'https://github.example.com/mcp', locked: github }),
    docs: Backend.entry(chart, 'docs', { ...entry, remoteUrl: 'https://docs.example.com/mcp', locked: docs }),
  };
}

/** Callers have tokens of an issuer that is declared in the same chart. */
export function tokens(chart: Chart): Incoming {
  new ApiObject(chart, 'corp', {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'MCPOIDCConfig',
    metadata: { name: 'corp' },
    spec: { type: 'inline', inline: { issuer: 'https://login.example.com' } },
  });
  const oidcConfigRef = { name: 'corp', audience: 'tools', resourceUrl: 'https://mcp.example.com' };
  return { knowsCallers: true, bind: () => ({ incomingAuth: { type: 'oidc', oidcConfigRef } }) };
}
