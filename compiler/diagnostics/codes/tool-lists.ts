import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const TOOL_LIST_CODES = {
  LNT3021: {
    name: 'composite-named-like-tool',
    severity: 'error',
    needsLock: true,
    meaning: 'A composite tool has the name of a tool of a backend, by the tool lock, and is withheld.',
    since: '0.1.0',
    fix: 'Give the composite tool another name',
    bad: yaml`
      # the lock says that github has the tool search
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          compositeTools:
            - name: github_search
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
          compositeTools:
            - name: triage
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_issues }]
    `,
  },
  LNT3022: {
    name: 'name-too-long',
    severity: 'warning',
    needsLock: true,
    meaning:
      'The name of a tool is longer than a client takes, often because the client puts the name of the gateway before it. Some clients then refuse every tool. Claude Code is supposed unless clients are configured.',
    since: '0.1.0',
    fix: 'Rename the tool by an override, or shorten prefixFormat or the name of the gateway',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          compositeTools:
            - name: find_open_issues_of_all_repositories_and_sort_them_by_severity
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
          compositeTools:
            - name: sort_open_issues
              description: Sorts new issues
              steps: [{ id: list, tool: github.list_issues }]
    `,
  },
  LNT3023: {
    name: 'invalid-name-characters',
    severity: 'warning',
    needsLock: true,
    meaning: 'The name of a tool has characters that MCP advises against, or that a configured client does not take.',
    since: '0.1.0',
    fix: 'Rename the tool by an override, or change the prefix',
    bad: yaml`
      # the tool search of github becomes github:search
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolutionConfig: { prefixFormat: "{workload}:" }
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
            conflictResolutionConfig: { prefixFormat: "{workload}_" }
    `,
  },
  LNT3024: {
    name: 'tool-budget',
    severity: 'error',
    needsLock: true,
    meaning:
      'Clients see more tools than the configured budget allows. A hint above what clients take, when no budget is configured.',
    since: '0.1.0',
    fix: 'Show fewer tools by filters, or turn on the optimizer',
    bad: yaml`
      # the lock says that everything has 150 tools
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: everything }
      spec: { remoteUrl: https://everything.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
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
            tools: [{ workload: everything, filter: [tool_1, tool_2] }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: everything }
      spec: { remoteUrl: https://everything.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3025: {
    name: 'token-budget',
    severity: 'error',
    needsLock: true,
    meaning:
      'The list of tools takes more tokens than the configured budget allows: bytes of names, descriptions and input schemas, divided by four. A hint above 25,000 when no budget is configured.',
    since: '0.1.0',
    fix: 'Show fewer tools by filters, shorten descriptions by overrides, or turn on the optimizer',
    bad: yaml`
      # the lock says that everything has 150 tools with long descriptions
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: everything }
      spec: { remoteUrl: https://everything.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
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
            tools: [{ workload: everything, filter: [tool_1, tool_2] }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: everything }
      spec: { remoteUrl: https://everything.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3026: {
    name: 'invalid-tool',
    severity: 'warning',
    needsLock: true,
    meaning:
      'By the tool lock, a tool has an input schema that model interfaces refuse, with alternatives at the top level, or an output schema that is not of type "object". Some clients then drop every tool of the gateway.',
    since: '0.1.0',
    fix: 'Have the backend corrected, or hide the tool by a filter',
    bad: yaml`
      # the lock says that the input schema of legacy's tool sum has an anyOf at its top level
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: legacy }
      spec: { remoteUrl: https://legacy.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
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
            tools: [{ workload: legacy, excludeAll: true }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: legacy }
      spec: { remoteUrl: https://legacy.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3027: {
    name: 'withheld-tool',
    severity: 'warning',
    needsLock: true,
    meaning:
      'By the tool lock, a tool has an input or output schema that is no JSON Schema, an `x-mcp-header` that MCP does not allow, or a name with spaces, with control or invisible characters or of more than 128 characters. Clients would refuse it, some of them with all others, so the gateway withholds it: clients can neither list nor call it. It keeps its name, and workflows can still call it.',
    since: '0.1.0',
    fix: 'Have the backend corrected, give the tool another name by an override, or hide it by a filter',
    bad: yaml`
      # the lock says that an argument of legacy's tool add has the type int
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: legacy }
      spec: { remoteUrl: https://legacy.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
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
            tools: [{ workload: legacy, excludeAll: true }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: legacy }
      spec: { remoteUrl: https://legacy.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3028: {
    name: 'task-only-tool',
    severity: 'hint',
    needsLock: true,
    meaning:
      'By the tool lock, a tool runs as a task only (`execution.taskSupport: required`, MCP 2025-11-25). Tasks of sessions cannot be brought to clients without sessions (2026-07-28), which can list the tool and not call it. A warning for a step of a workflow that calls one: steps call plainly, and fail.',
    since: '0.1.0',
    fix: 'Have the backend take plain calls as well (`taskSupport: optional`), or hide the tool by a filter',
    bad: yaml`
      # the lock says that builds runs its tool build as a task only
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: builds }
      spec: { remoteUrl: https://builds.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
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
            tools: [{ workload: builds, filter: [status] }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: builds }
      spec: { remoteUrl: https://builds.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
  LNT3029: {
    name: 'alike-tools',
    severity: 'hint',
    needsLock: true,
    meaning:
      'By the tool lock, tools of a gateway with the optimizer have the same words in their names, titles and descriptions. `find_tool` cannot tell them apart: each query that finds one of them finds all of them, and ranks at most one of them first. `lintel find` shows what is found.',
    since: '0.1.0',
    fix: 'Say in an override what each of them is for, or hide all but one by a filter',
    bad: yaml`
      # the lock says that articles has the tools get_article and article_get, with one description
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config: { optimizer: {} }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: articles }
      spec: { remoteUrl: https://articles.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          optimizer: {}
          aggregation:
            tools: [{ workload: articles, filter: [get_article] }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: articles }
      spec: { remoteUrl: https://articles.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
