import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const AGGREGATION_CODES = {
  LNT3008: {
    name: 'hidden-yet-reachable',
    severity: 'warning',
    needsLock: true,
    meaning:
      'A destructive tool is off the list, and yet everyone reaches it through a workflow: a filter hides, only policies protect. Tools and their annotations are known by the tool lock.',
    since: '0.1.0',
    fix: 'Write policies that say who may call the workflow, or take the step out of it',
    bad: yaml`
      # the lock says that github has the destructive tool delete_repo
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools: [{ workload: github, filter: [search] }]
          compositeTools:
            - name: tidy_up
              description: Removes what is left over
              steps: [{ id: remove, tool: github.delete_repo }]
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
          compositeTools:
            - name: look_up
              description: Finds what is left over
              steps: [{ id: find, tool: github.search }]
    `,
  },
  LNT3010: {
    name: 'priority-order-missing',
    severity: 'error',
    meaning: 'Conflicts are resolved by priority and no order is given.',
    since: '0.1.0',
    fix: 'Give the order, or choose another conflict resolution',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: priority
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
    `,
  },
  LNT3011: {
    name: 'manual-overrides-missing',
    severity: 'error',
    meaning: 'Conflicts are resolved by hand and no overrides are given.',
    since: '0.1.0',
    fix: 'Give the overrides, or choose another conflict resolution',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: manual
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
            conflictResolution: manual
            tools:
              - { workload: github, overrides: { search: { name: search_github } } }
    `,
  },
  LNT3012: {
    name: 'unknown-workload',
    severity: 'error',
    meaning: 'The aggregation names a workload that is not a backend of the gateway.',
    since: '0.1.0',
    fix: 'Correct the name, or add the workload to the group',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools: [{ workload: githup }]
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
            tools: [{ workload: github }]
    `,
  },
  LNT3013: {
    name: 'duplicate-workload',
    severity: 'error',
    meaning: 'The aggregation names the same workload twice.',
    since: '0.1.0',
    fix: 'Merge the two entries',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools:
              - { workload: github, filter: [search] }
              - { workload: github, filter: [get_issue] }
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
              - { workload: github, filter: [search, get_issue] }
    `,
  },
  LNT3014: {
    name: 'visibility-entry-missing',
    severity: 'error',
    meaning: 'Tools are hidden by default and a workload of the priority order has no entry that shows any.',
    since: '0.1.0',
    fix: 'Add a `tools` entry for the workload, or allow tools by default',
    bad: yaml`
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
            defaultToolVisibility: deny
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
            defaultToolVisibility: deny
            tools: [{ workload: github }]
    `,
  },
  LNT3015: {
    name: 'equal-new-names',
    severity: 'error',
    meaning: 'Two overrides of one backend give different tools the same name, so neither could be shown.',
    since: '0.1.0',
    fix: 'Give one of the two another name',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools:
              - workload: github
                overrides: { search_code: { name: find }, search_issues: { name: find } }
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
              - workload: github
                overrides: { search_code: { name: find }, search_issues: { name: find_issue } }
    `,
  },
  LNT3020: {
    name: 'keyword-search-only',
    severity: 'hint',
    meaning: 'The optimizer has no source of embeddings, so tools are found by the words of the query alone.',
    since: '0.1.0',
    fix: 'Set spec.embeddingServerRef or embeddingService',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          optimizer: {}
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          optimizer: { embeddingService: https://embeddings.example.com }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
