/** Gateways with policies, for tests of findings about policies. */
import { object } from './rule.ts';

const OIDC = 'type: oidc, oidcConfigRef: { name: corp, audience: mcp }';

/** A gateway `eng` of the group `tools` with authentication; each policy has its own line, from line 14 on. */
export function gatewayWithPolicies(
  policies: readonly string[],
  { auth = OIDC, config = '', inline = '' }: { auth?: string; config?: string; inline?: string } = {},
): string {
  const items = policies.map(policy => `        - ${JSON.stringify(policy)}\n`).join('');
  const head = auth
    .split(/, (?![^{]*\})/)
    .map(line => `    ${line}\n`)
    .join('');
  return object(
    'VirtualMCPServer',
    `
  groupRef: { name: tools }
  ${config === '' ? '' : `config: ${config}`}
  incomingAuth:
${head}    authzConfig:
      type: inline
      inline:
${inline === '' ? '' : `        ${inline}\n`}        policies:
${items}`.trimEnd(),
    'eng',
  );
}
