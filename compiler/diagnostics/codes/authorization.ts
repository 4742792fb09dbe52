import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

/** A gateway that knows its callers, with these policies. */
function withPolicies(...policies: readonly string[]): string {
  const items = policies.map(policy => `            - ${policy}\n`).join('');
  return `${GATEWAY}          policies:\n${items}---\n${OIDC_CONFIG}`;
}

const GATEWAY = yaml`
  apiVersion: lintel.dev/v1beta1
  kind: VirtualMCPServer
  metadata: { name: eng }
  spec:
    groupRef: { name: tools }
    incomingAuth:
      type: oidc
      oidcConfigRef: { name: corp, audience: mcp }
      authzConfig:
        type: inline
        inline:
`;

const OIDC_CONFIG = yaml`
  apiVersion: lintel.dev/v1beta1
  kind: MCPOIDCConfig
  metadata: { name: corp }
  spec:
    type: inline
    inline: { issuer: https://auth.example.com }
`;

const SIGNED_IN = 'oidc, oidcConfigRef: { name: corp, audience: mcp }';

const UNLOCKED = yaml`
  apiVersion: lintel.dev/v1beta1
  kind: MCPServerEntry
  metadata: { name: new }
  spec: { remoteUrl: https://new.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;

const GROUP_OF_NEW = yaml`
  apiVersion: lintel.dev/v1beta1
  kind: MCPGroup
  metadata: { name: fresh }
`;

/** A gateway whose callers are expected to do so much. */
function expecting(expectations: string, incomingAuth: string): string {
  const gateway = yaml`
    apiVersion: lintel.dev/v1beta1
    kind: VirtualMCPServer
    metadata:
      name: eng
      annotations: { lintel.dev/expectations: 'EXPECTATIONS' }
    spec:
      groupRef: { name: tools }
      incomingAuth: { type: INCOMING }
    ---
  `;
  return `${gateway.replace('EXPECTATIONS', expectations).replace('INCOMING', incomingAuth)}${OIDC_CONFIG}`;
}

/** A gateway whose readers are permitted, with so much of its backends to be seen. */
function showing(visibility: 'allow' | 'deny'): string {
  const gateway = withPolicies(`'permit(principal in Group::"eng", action, resource);'`).replace(
    '---',
    `  config:\n    aggregation: { defaultToolVisibility: ${visibility} }\n---`,
  );
  // The other backends offer resources, whatever becomes of their tools.
  return `${GROUP_OF_NEW}---\n${[gateway, UNLOCKED].join('---\n').replaceAll('{ name: tools }', '{ name: fresh }')}`;
}

/** The same where names belong to whoever ranks first. */
function withPriority(policy: string, tools: string): string {
  return withPolicies(policy).replace(
    '---\n',
    `  config:
    aggregation:
      conflictResolution: priority
      conflictResolutionConfig: { priorityOrder: [github, gitlab] }
${tools}---\n`,
  );
}

export const AUTHORIZATION_CODES = {
  LNT5001: {
    name: 'cedar-syntax',
    severity: 'error',
    meaning: 'A policy, or the entities beside it, cannot be read. A text may hold several policies, but no templates.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Write it as Cedar: permit or forbid, a scope of principal, action and resource, conditions, a semicolon, such as `permit(principal in Group::"eng", action, resource);`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPAuthzConfig
      metadata: { name: policies }
      spec:
        type: cedarv1
        config:
          policies:
            - permit(principal, action, resource) when { resource.name = "github_search" };
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPAuthzConfig
      metadata: { name: policies }
      spec:
        type: cedarv1
        config:
          policies:
            - permit(principal, action, resource) when { resource.name == "github_search" };
    `,
  },
  LNT5002: {
    name: 'unguarded-attribute',
    severity: 'error',
    meaning:
      'A policy reads an attribute that may be absent. Then evaluating it is an error, on which a gateway denies the request even if another policy permits it; plain Cedar skips the policy, so that a forbid forbids nothing.',
    since: '0.1.0',
    fix: 'Ask whether it is there first: resource has readOnlyHint && resource.readOnlyHint',
    bad: withPolicies('permit(principal, action == Action::"call_tool", resource) when { resource.readOnlyHint };'),
    good: withPolicies(
      'permit(principal, action == Action::"call_tool", resource) when { resource has readOnlyHint && resource.readOnlyHint };',
    ),
  },
  LNT5003: {
    name: 'policy-names-unknown-tool',
    severity: 'error',
    needsLock: true,
    meaning:
      'A policy names a tool, a prompt, a resource or a gateway that clients of this gateway never meet, so it says nothing about them. A hint where a backend that is not in the tool lock may offer it, or another gateway shares the policy.',
    since: '0.1.0',
    fix: 'Name it as clients see it, with its prefix: Tool::"github_search"',
    bad: withPolicies('permit(principal, action, resource == Tool::"search");'),
    good: withPolicies('permit(principal, action, resource == Tool::"github_search");'),
  },
  LNT5004: {
    name: 'policy-without-effect',
    severity: 'warning',
    meaning: 'A policy can never apply, or another one decides all that it could decide.',
    since: '0.1.0',
    fix: 'Remove it, or mend the condition that makes it idle',
    bad: withPolicies(
      'permit(principal in Group::"eng", action, resource);',
      'permit(principal in Group::"eng", action == Action::"call_tool", resource == Tool::"github_search");',
    ),
    good: withPolicies(
      'permit(principal in Group::"eng", action, resource);',
      'permit(principal in Group::"ops", action == Action::"call_tool", resource == Tool::"github_search");',
    ),
  },
  LNT5005: {
    name: 'permit-moves-with-priority',
    severity: 'warning',
    meaning:
      'A permit names a tool that several backends offer under one name, so it is for whichever of them ranks first: a change of the order, or a backend that is not there, hands it to other code.',
    since: '0.1.0',
    fix: 'Give the tools different names by overrides, and name the one that is meant',
    bad: `# github and gitlab both offer a tool \`search\`.
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: gitlab }
spec: { remoteUrl: https://gitlab.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
---
${withPriority('permit(principal, action, resource == Tool::"search");', '')}`,
    good: `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: gitlab }
spec: { remoteUrl: https://gitlab.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
---
${withPriority(
  'permit(principal, action, resource == Tool::"gitlab_find");',
  `      tools:
        - workload: gitlab
          overrides: { search: { name: gitlab_find } }
`,
)}`,
  },
  LNT5006: {
    name: 'no-policies',
    severity: 'error',
    meaning: 'A source of policies is named that holds none, or is not a policy document.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Write at least one policy',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp }
          authzConfig: { type: configMap, configMap: { name: policies } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: policies }
      data:
        authz.json: '{"version": "1.0", "type": "cedarv1", "cedar": {"policies": []}}'
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp }
          authzConfig: { type: configMap, configMap: { name: policies } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: policies }
      data:
        authz.json: '{"version": "1.0", "type": "cedarv1", "cedar": {"policies": ["permit(principal, action, resource);"]}}'
    `,
  },
  LNT5007: {
    name: 'destructive-for-everyone',
    severity: 'warning',
    needsLock: true,
    meaning:
      'A policy permits every authenticated caller, without any condition, to call tools that say they may destroy data. A hint where they do not say: the protocol then assumes it.',
    since: '0.1.0',
    fix: 'Permit it to those who need it: principal in Group::"ops"',
    bad: `# github offers a tool \`comment\` without annotations.\n${withPolicies('permit(principal, action, resource);')}`,
    good: withPolicies(
      'permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };',
    ),
  },
  LNT5008: {
    name: 'composite-escalation',
    severity: 'warning',
    needsLock: true,
    meaning:
      'A workflow is authorized under its own name and its steps are not, so whoever may call it reaches a tool that the policies do not let them call. An error when a policy forbids that tool to everyone; a hint for a tool that is not in the tool lock.',
    since: '0.1.0',
    fix: 'Permit the workflow only to callers who may call the tool, or permit them the tool',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp, resourceUrl: https://mcp.example.com }
          authzConfig:
            type: inline
            inline:
              policies:
                - permit(principal in Group::"maintainers", action, resource);
                - permit(principal, action, resource == Tool::"triage");
        config:
          compositeTools:
            - name: triage
              description: Answers an issue
              steps: [{ id: answer, tool: github_comment, arguments: { body: "Thanks!" } }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp, resourceUrl: https://mcp.example.com }
          authzConfig:
            type: inline
            inline:
              policies:
                - permit(principal in Group::"maintainers", action, resource);
        config:
          compositeTools:
            - name: triage
              description: Answers an issue
              steps: [{ id: answer, tool: github_comment, arguments: { body: "Thanks!" } }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT5009: {
    name: 'unknown-policy-word',
    severity: 'error',
    meaning:
      'A policy names a type of entities or an action that no gateway knows. Types: Client, the type of the groups, Tool, Prompt, Resource, MCP and those of the entities beside the policies; actions: call_tool, get_prompt, read_resource.',
    since: '0.1.0',
    fix: 'Use one of the names that gateways know',
    bad: withPolicies('permit(principal, action == Action::"call", resource);'),
    good: withPolicies('permit(principal in Group::"eng", action == Action::"call_tool", resource);'),
  },
  LNT5010: {
    name: 'unknown-attribute',
    severity: 'error',
    meaning:
      'A policy reads an attribute that no request has: claims are claim_<name>, scalar arguments arg_<name>, and of lists and objects there is arg_<name>_present only.',
    since: '0.1.0',
    fix: 'Read an attribute that there is',
    bad: withPolicies('permit(principal, action, resource) when { principal.email == "ann@example.com" };'),
    good: withPolicies(
      'permit(principal, action, resource) when { principal has claim_email && principal.claim_email == "ann@example.com" };',
    ),
  },
  LNT5011: {
    name: 'policy-type-error',
    severity: 'error',
    meaning: 'A policy compares or combines values of types that do not fit, which fails or is never true.',
    since: '0.1.0',
    fix: 'Use values of the type that the attribute has',
    bad: withPolicies('permit(principal, action, resource) when { resource.feature == 1 };'),
    good: withPolicies('permit(principal in Group::"eng", action, resource) when { resource.feature == "tool" };'),
  },
  LNT5012: {
    name: 'confusable-policy-text',
    severity: 'warning',
    meaning:
      'A policy holds characters that look like others, or that change the direction of what is shown: a reviewer does not see what it says.',
    since: '0.1.0',
    fix: 'Write names in one script, without control characters',
    bad: withPolicies('permit(principal in Group::"\u0430dmins", action, resource);'),
    good: withPolicies('permit(principal in Group::"admins", action, resource);'),
  },
  LNT5013: {
    name: 'expectation-broken',
    severity: 'error',
    meaning:
      'Callers can do something else than the annotation lintel.dev/expectations, or `expect` of a construct, says. Tools are known by the tool lock.',
    since: '0.1.0',
    fix: 'Change what is granted, or what is expected',
    bad: expecting('[{"caller":"anonymous","reaches":0}]', 'anonymous'),
    good: expecting('[{"caller":"anonymous","reaches":0}]', SIGNED_IN),
  },
  LNT5014: {
    name: 'malformed-expectation',
    severity: 'error',
    meaning: 'The annotation lintel.dev/expectations cannot be read, so nobody checks it.',
    since: '0.1.0',
    fix: 'Write a JSON list of objects with caller ("anonymous" or claims) and canCall, cannotReach or reaches, such as `[{"caller": "anonymous", "cannotReach": ["notes_write"]}]`',
    bad: expecting('[{"caller":"anonymous","reach":0}]', SIGNED_IN),
    good: expecting('[{"caller":"anonymous","reaches":0}]', SIGNED_IN),
  },
  LNT5015: {
    name: 'undecided-expectation',
    severity: 'warning',
    meaning:
      'Whether an expectation holds is not known: the tool lock does not know every backend, the policies are not in these sources, or they look at a claim that every token has and the expected caller does not.',
    since: '0.1.0',
    fix: 'Run `lintel lock`, compile the policies with the gateway, and give the caller the claims that policies look at',
    bad: `# the lock does not know the backend new\n${expecting('[{"caller":{"groups":["eng"]},"cannotReach":["new_drop"]}]', SIGNED_IN)}---\n${UNLOCKED}`,
    good: expecting('[{"caller":{"groups":["eng"]},"cannotReach":["new_drop"]}]', SIGNED_IN),
  },
  LNT5016: {
    name: 'nothing-offered',
    severity: 'warning',
    meaning:
      'Policies permit calls of tools, and the gateway offers none: permits offer nothing by themselves, and of every backend all tools are hidden.',
    since: '0.1.0',
    fix: 'Show tools in aggregation.tools, or with `gateway.expose` in a program',
    bad: showing('deny'),
    good: showing('allow'),
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
