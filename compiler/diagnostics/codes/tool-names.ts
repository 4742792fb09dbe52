import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const TOOL_NAME_CODES = {
  LNT3001: {
    name: 'tool-not-in-catalog',
    severity: 'error',
    needsLock: true,
    meaning:
      'A step or a rate limit names a tool that no backend has, by the tool lock. A warning for a tool that is there but hidden from clients, for a limit of an MCPServer, and where only the name of the backend shows the mistake; a hint for a backend that is not in the lock.',
    since: '0.1.0',
    fix: 'Correct the name, or run `lintel lock` if the backend has changed',
    bad: yaml`
      # the lock says that github has the tool list_issues
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          compositeTools:
            - name: triage
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_isues }]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          compositeTools:
            - name: triage
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_issues }]
    `,
  },
  LNT3002: {
    name: 'name-collision',
    severity: 'error',
    needsLock: true,
    meaning:
      'After overrides and prefixes several tools, or several prompts, have one name, by the tool lock. Other gateways pick one by chance; here all of them are withheld, and the rest is served. A warning when all of them are hidden anyway.',
    since: '0.1.0',
    fix: 'Give one of them another name by an override, or choose another prefixFormat',
    bad: yaml`
      # the lock says that github has the tools search and search_code
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools:
              - { workload: github, overrides: { search_code: { name: search } } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools:
              - { workload: github, overrides: { search_code: { name: search_in_code } } }
    `,
  },
  LNT3003: {
    name: 'hidden-winner',
    severity: 'warning',
    needsLock: true,
    meaning:
      'By priority a name belongs to a backend that hides the tool, so clients see neither this one nor those it won against.',
    since: '0.1.0',
    fix: 'Show the tool, rename it by an override, or change the order',
    bad: yaml`
      # the lock says that both backends have the tool search
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: priority
            conflictResolutionConfig: { priorityOrder: [github] }
            tools: [{ workload: github, excludeAll: true }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: gitlab }
      spec: { remoteUrl: https://gitlab.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: priority
            conflictResolutionConfig: { priorityOrder: [github] }
            tools: [{ workload: github, filter: [search] }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: gitlab }
      spec: { remoteUrl: https://gitlab.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3005: {
    name: 'shadowed-resource',
    severity: 'warning',
    needsLock: true,
    meaning:
      'Two backends have a resource, or a template of resources, with the same URI. URIs are never rewritten, so clients reach that of the first backend by name.',
    since: '0.1.0',
    fix: 'Have one of the backends serve it under another URI, or put them into different groups',
    bad: yaml`
      # the lock says that both backends have the resource file:///readme
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: gitlab }
      spec: { remoteUrl: https://gitlab.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
  },
  LNT3006: {
    name: 'reserved-tool-name',
    severity: 'error',
    needsLock: true,
    meaning: 'A tool has the name of one that code mode or the optimizer brings.',
    since: '0.1.0',
    fix: 'Give the tool another name',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          codeMode: { enabled: true }
          compositeTools:
            - name: execute_tool_script
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_issues }]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          codeMode: { enabled: true }
          compositeTools:
            - name: triage
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_issues }]
    `,
  },
  LNT3007: {
    name: 'idle-tool-setting',
    severity: 'error',
    needsLock: true,
    meaning:
      'A filter or an override names a tool that the backend does not have, by the tool lock: the tool that was meant is hidden, or stays as it is. A warning in an MCPToolConfig, which other gateways may share.',
    since: '0.1.0',
    fix: 'Correct the name, or remove the setting',
    bad: yaml`
      # the lock says that github has the tool search
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools: [{ workload: github, filter: [serch] }]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools: [{ workload: github, filter: [search] }]
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
