/**
 * Generated gateways in the style of real teams. Deterministic: the same number gives the same bytes. Each is a text of about 4.5 KB with 10
 * backends (static ones, or for every third gateway members of a group), filters and overrides, 3 workflows and 5 policies.
 */
export interface Text {
  readonly file: string;
  readonly text: string;
}

const NAMESPACES = 20;
const TEAMS = 'billing checkout data docs edge fraud growth identity infra legal'.split(' ');
const SYSTEMS = 'github jira slack pager runbooks wiki metrics logs builds deploys'.split(' ');

export const nameNamespace = (number: number) => `${TEAMS[number % TEAMS.length]}-${number % NAMESPACES}`;

export interface GatewayTextOptions {
  /** Whether they have workflows. */
  readonly workflows?: boolean;
}

/** `count` gateways, one in each file, and a file with the objects that their namespaces share. */
export function gatewayTexts(count: number, { workflows = true }: GatewayTextOptions = {}): Text[] {
  const namespaces = [
    ...new Set(Array.from({ length: Math.min(count, NAMESPACES) }, (_, number) => nameNamespace(number))),
  ];
  return [
    { file: 'shared.yaml', text: namespaces.map(issuer).join('---\n') },
    ...Array.from({ length: count }, (_, number) => ({
      file: `${nameNamespace(number)}/gateway-${String(number).padStart(5, '0')}.yaml`,
      text: gatewayText(number, workflows),
    })),
  ];
}

/** A gateway that needs no objects from other files. */
export function loneGateway(): string {
  return `${issuer(nameNamespace(1))}---\n${gatewayText(1, true)}`;
}

function issuer(namespace: string): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata:
  name: corporate
  namespace: ${namespace}
spec:
  type: inline
  inline:
    issuer: https://login.example.com/realms/${namespace}
`;
}

function gatewayText(number: number, workflows: boolean): string {
  const isStatic = number % 3 !== 0;
  return [
    group(number),
    gateway(number, isStatic, workflows),
    ...(isStatic ? [] : SYSTEMS.map(system => entry(number, system))),
  ].join('---\n');
}

const urlOf = (number: number, system: string) => `https://${system}-${number}.example.com/mcp`;

function group(number: number): string {
  return `# Owned by team ${TEAMS[number % TEAMS.length]}.
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools-${number}, namespace: ${nameNamespace(number)} }
`;
}

/** A member of the group. */
function entry(number: number, system: string): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: ${system}-${number}, namespace: ${nameNamespace(number)} }
spec: { groupRef: { name: tools-${number} }, remoteUrl: "${urlOf(number, system)}", transport: streamable-http }
`;
}

function gateway(number: number, isStatic: boolean, workflows: boolean): string {
  return `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata:
  name: gateway-${number}
  namespace: ${nameNamespace(number)}
spec:
  groupRef:
    name: tools-${number}
  incomingAuth:
    type: oidc
    oidcConfigRef:
      name: corporate
      audience: https://mcp.example.com/gateway-${number}
    authzConfig:
      type: inline
      inline:
        policies:
          - permit(principal in Group::"team", action == Action::"get_prompt", resource);
          - permit(principal in Group::"team", action == Action::"call_tool", resource == Tool::"${workflows ? 'find_incident' : `github-${number}_search`}");
          - forbid(principal, action == Action::"call_tool", resource == Tool::"jira-${number}_delete");
          - |
            permit(principal, action == Action::"call_tool", resource)
            when { resource has readOnlyHint && resource.readOnlyHint };
          - permit(principal in Group::"ops", action, resource);
  outgoingAuth:
    source: ${isStatic ? 'inline' : 'discovered'}
  config:
${isStatic ? staticBackends(number) : ''}    aggregation:
      conflictResolution: prefix
      conflictResolutionConfig: { prefixFormat: "{workload}_" }
      tools:
${SYSTEMS.slice(0, 2)
  .map((system, index) => toolSettings(number, system, index))
  .join('')}    operational:
      timeouts: { default: 30s }
      failureHandling: { healthCheckInterval: 30s, partialFailureMode: best_effort }
${workflows ? `    compositeTools:\n${['incident', 'release', 'cleanup'].map(name => workflow(number, name)).join('')}` : ''}`;
}

function staticBackends(number: number): string {
  const items = SYSTEMS.map(
    system => `      - name: ${system}-${number}
        url: ${urlOf(number, system)}
        transport: streamable-http
`,
  );
  return `    backends:\n${items.join('')}`;
}

function toolSettings(number: number, system: string, index: number): string {
  return `        - workload: ${system}-${number}
          filter: [search, open_${index}, update, comment]
          overrides:
            create_${index}:
              name: open_${index}
              description: Opens a record in ${system}. Ask the person first.
              annotations: { title: Open in ${system}, destructiveHint: false }
`;
}

function workflow(number: number, name: string): string {
  return `      - name: find_${name}
        description: Finds the ${name} and tells the channel about it
        parameters:
          type: object
          properties:
            service: { type: string }
        steps:
          - { id: find, tool: jira-${number}.search, arguments: { query: "{{.params.service}}" } }
          - id: tell
            tool: slack-${number}.comment
            arguments: { text: "{{.steps.find.output.title}}" }
            dependsOn: [find]
`;
}
