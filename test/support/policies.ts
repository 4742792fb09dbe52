/** Gateways with policies, for the tests of what is said about them. */
import { object } from './rule.ts';

const OIDC = 'type: oidc, oidcConfigRef: { name: corp, audience: mcp }';

/** A gateway `eng` of the group `tools` for callers who sign in; each policy stands in a line of its own, from line 14. */
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
