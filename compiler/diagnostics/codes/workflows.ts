import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const WORKFLOW_CODES = {
  LNT7001: {
    name: 'duplicate-step',
    severity: 'error',
    meaning: 'Two steps of a workflow have the same id.',
    since: '0.1.0',
    fix: 'Rename one of the two',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - { id: list, tool: github.comment, dependsOn: [list] }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - { id: comment, tool: github.comment, dependsOn: [list] }
    `,
  },
  LNT7002: {
    name: 'unknown-dependency',
    severity: 'error',
    meaning: 'A step depends on one that the workflow does not have.',
    since: '0.1.0',
    fix: 'Name a step of the workflow',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - { id: comment, tool: github.comment, dependsOn: [lists] }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - { id: comment, tool: github.comment, dependsOn: [list] }
    `,
  },
  LNT7003: {
    name: 'dependency-cycle',
    severity: 'error',
    meaning: 'Steps depend on each other in a circle, so none of them can start.',
    since: '0.1.0',
    fix: 'Remove one of the dependencies',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues, dependsOn: [comment] }
          - { id: comment, tool: github.comment, dependsOn: [list] }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - { id: comment, tool: github.comment, dependsOn: [list] }
    `,
  },
  LNT7004: {
    name: 'template-syntax',
    severity: 'error',
    meaning: 'A text that is a template does not parse.',
    since: '0.1.0',
    fix: 'Correct the template, such as `{{ .params.team }}`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { type: object, properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues, arguments: { repo: "{{ .params.repo }" } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { type: object, properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues, arguments: { repo: "{{ .params.repo }}" } }
    `,
  },
  LNT7005: {
    name: 'template-undeclared-step',
    severity: 'error',
    meaning:
      'A template reads what is not there: a step that the workflow does not have, or `.forEach` outside of a forEach. A warning for a step that it does not wait for, and for a parameter that is not declared.',
    since: '0.1.0',
    fix: 'Read a step of the workflow, and name it in dependsOn',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - id: comment
            tool: github.comment
            dependsOn: [list]
            arguments: { issue: "{{ .steps.lists.output.id }}" }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
          - id: comment
            tool: github.comment
            dependsOn: [list]
            arguments: { issue: "{{ .steps.list.output.id }}" }
    `,
  },
  LNT7006: {
    name: 'output-field-absent',
    severity: 'error',
    needsLock: true,
    meaning:
      'A template reads a field that the output of its step cannot have: by the output schema of the tool, or because steps of this type give fixed fields. A warning where the schema allows more than it describes, or where the tool has none.',
    since: '0.1.0',
    fix: 'Read a field that the step gives',
    bad: yaml`
      # the lock says that list_issues gives issues and count
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
              steps:
                - { id: list, tool: github.list_issues }
                - { id: note, tool: github.comment, dependsOn: [list], arguments: { body: "{{ .steps.list.output.total }}" } }
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
              steps:
                - { id: list, tool: github.list_issues }
                - { id: note, tool: github.comment, dependsOn: [list], arguments: { body: "{{ .steps.list.output.count }}" } }
    `,
  },
  LNT7007: {
    name: 'arguments-against-schema',
    severity: 'error',
    needsLock: true,
    meaning:
      'The arguments of a step do not fit the input schema of its tool: one is missing, is not known, or has a value that the schema does not allow. Templates are not judged, since the run converts them. A warning for a name that looks misspelt where the schema allows others.',
    since: '0.1.0',
    fix: 'Correct the arguments',
    bad: yaml`
      # the lock says that comment needs the argument body
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
              steps:
                - { id: note, tool: github.comment, arguments: { text: Done } }
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
              steps:
                - { id: note, tool: github.comment, arguments: { body: Done } }
    `,
  },
  LNT7008: {
    name: 'default-results-missing',
    severity: 'error',
    meaning:
      'A step can be skipped or may fail without ending the workflow, and a field of its output is read that `defaultResults` does not have.',
    since: '0.1.0',
    fix: 'Give the field a value in defaultResults of the step',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: list
            tool: github.list_issues
            onError: { action: continue }
          - id: comment
            tool: github.comment
            dependsOn: [list]
            arguments: { issue: "{{ .steps.list.output.id }}" }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: list
            tool: github.list_issues
            onError: { action: continue }
            defaultResults: { id: 1 }
          - id: comment
            tool: github.comment
            dependsOn: [list]
            arguments: { issue: "{{ .steps.list.output.id }}" }
    `,
  },
  LNT7009: {
    name: 'annotations-too-safe',
    severity: 'error',
    needsLock: true,
    meaning:
      'A composite tool claims to be safer than a tool that it calls, by its annotations in the tool lock; a tool without annotations counts as unsafe. Such a composite tool is withheld.',
    since: '0.1.0',
    fix: 'Drop the claim, or annotate the tool by an override if it is safe',
    bad: yaml`
      # the lock says nothing about the safety of comment
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
              annotations: { readOnlyHint: true }
              steps:
                - { id: note, tool: github.comment, arguments: { body: Done } }
    `,
    good: yaml`
      # the lock says that list_issues is read-only
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
              annotations: { readOnlyHint: true }
              steps:
                - { id: list, tool: github.list_issues }
    `,
  },
  LNT7010: {
    name: 'unanswered-question',
    severity: 'hint',
    needsLock: true,
    meaning:
      'A question to the user cannot be brought to the client. A workflow asks by elicitation, and one of the `clients` in lintel.yaml does not take part in it; or by the tool lock, or as `transport: sse` says, some backends of a gateway speak MCP with sessions and others without (2026-07-28): what those with sessions ask on their own, outside of a call, has no way to clients without.',
    since: '0.1.0',
    fix: 'Let the step go on by `onError: { action: continue }` and `defaultResults`; ask within calls (runtime/PROTOCOL.md, "What cannot be bridged")',
    bad: yaml`
      # the lock says that wiki speaks MCP 2026-07-28, and github 2025-11-25
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: wiki }
      spec: { remoteUrl: https://wiki.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: docs }
      ---
      # the lock says that wiki speaks MCP 2026-07-28
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: wiki }
      spec: { remoteUrl: https://wiki.example.com/mcp, transport: streamable-http, groupRef: { name: docs } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: docs }
      spec:
        groupRef: { name: docs }
        incomingAuth: { type: anonymous }
    `,
  },
  LNT7011: {
    name: 'timeout-beyond-workflow',
    severity: 'warning',
    meaning: 'A step may run longer than its workflow, which ends before.',
    since: '0.1.0',
    fix: 'Lengthen the workflow or shorten the step',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        timeout: 1m
        steps:
          - { id: list, tool: github.list_issues, timeout: 5m }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        timeout: 1m
        steps:
          - { id: list, tool: github.list_issues, timeout: 30s }
    `,
  },
  LNT7012: {
    name: 'ambiguous-step',
    severity: 'error',
    meaning: 'A step without a type has fields of several types.',
    since: '0.1.0',
    fix: 'Write the type',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: ask, tool: github.comment, message: Send it? }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: ask, type: elicitation, message: Send it?, schema: { type: object, properties: {} } }
    `,
  },
  LNT7013: {
    name: 'invalid-tool-reference',
    severity: 'error',
    meaning: 'A step names its tool in a form that no tool can have.',
    since: '0.1.0',
    fix: 'Write `<workload>.<tool>` or the advertised name, such as `github.search`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github/list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7014: {
    name: 'invalid-item-variable',
    severity: 'error',
    meaning: 'The name of the item of a forEach cannot be used in templates.',
    since: '0.1.0',
    fix: 'Write a name of letters, digits and underscores other than index, such as `issue`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: each
            type: forEach
            collection: "[1, 2]"
            itemVar: index
            step: { id: comment, tool: github.comment }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: each
            type: forEach
            collection: "[1, 2]"
            itemVar: number
            step: { id: comment, tool: github.comment }
    `,
  },
  LNT7015: {
    name: 'retry-without-count',
    severity: 'error',
    meaning: 'A step retries without saying how often.',
    since: '0.1.0',
    fix: 'Set retryCount to 1 or more',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues, onError: { action: retry } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues, onError: { action: retry, retryCount: 3 } }
    `,
  },
  LNT7016: {
    name: 'invalid-parameters',
    severity: 'error',
    meaning:
      'The parameters of a composite tool are not the JSON Schema of an object. A warning for a required name without a schema.',
    since: '0.1.0',
    fix: 'Write `type: object` with properties, such as `{ type: object, properties: { team: { type: string } } }`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { type: object, properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7017: {
    name: 'invalid-output',
    severity: 'error',
    meaning: 'The output of a composite tool has a property that cannot be filled in.',
    since: '0.1.0',
    fix: 'Give each property a value or, for objects, properties, such as `{ type: string, value: "{{ .steps.find.output.title }}" }`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
        output:
          properties:
            count: { type: integer, description: How many }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
        output:
          properties:
            count: { type: integer, description: How many, value: "{{ .steps.list.output.count }}" }
    `,
  },
  LNT7018: {
    name: 'duplicate-composite-tool',
    severity: 'error',
    meaning: 'Two composite tools of a gateway have the same name.',
    since: '0.1.0',
    fix: 'Rename one of the two',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          compositeTools:
            - { name: triage, description: Sorts new issues, steps: [{ id: list, tool: github.list_issues }] }
          compositeToolRefs: [{ name: triage }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
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
            - { name: sort, description: Sorts new issues, steps: [{ id: list, tool: github.list_issues }] }
          compositeToolRefs: [{ name: triage }]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7019: {
    name: 'nested-template',
    severity: 'warning',
    meaning: 'A template stands below the first level of arguments, where it is not expanded.',
    since: '0.1.0',
    fix: 'Build the list or object in a template at the first level, or write the text without braces',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { type: object, properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues, arguments: { filter: { repo: "{{ .params.repo }}" } } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters: { type: object, properties: { repo: { type: string } } }
        steps:
          - { id: list, tool: github.list_issues, arguments: { filter: '{ "repo": {{ json .params.repo }} }' } }
    `,
  },
  LNT7020: {
    name: 'invalid-json-schema',
    severity: 'error',
    meaning: 'A JSON Schema is not valid, so clients and gateways cannot use it.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Write it as JSON Schema 2020-12 says, such as `{ type: string, maxLength: 80 }`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: text }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: string }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7021: {
    name: 'unknown-schema-keyword',
    severity: 'warning',
    meaning: 'A word in a JSON Schema means nothing, and looks like a keyword.',
    since: '0.1.0',
    fix: 'Write the keyword',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: string, maxLenght: 20 }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: string, maxLength: 20 }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7022: {
    name: 'unresolved-schema-reference',
    severity: 'error',
    meaning: 'A `$ref` of a JSON Schema leads to no schema in it, or back to itself.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Refer to a schema within, such as `#/$defs/label`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { $ref: '#/$defs/label' }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { $ref: '#/$defs/label' }
          $defs:
            label: { type: string }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7023: {
    name: 'slow-pattern',
    severity: 'warning',
    meaning: 'A pattern takes a time that doubles with each character of some texts.',
    since: '0.1.0',
    fix: 'Let only one part of the pattern match each character',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: string, pattern: '^(\\w+-?)*$' }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: string, pattern: '^\\w+(-\\w+)*$' }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7024: {
    name: 'unusable-form',
    severity: 'error',
    meaning: 'The schema of an answer is no form that clients can show; keywords that they ignore are a warning.',
    since: '0.1.0',
    fix: 'Ask for texts, numbers, booleans and choices',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: ask
            type: elicitation
            message: Which label?
            schema:
              type: object
              properties:
                label: { type: object }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        steps:
          - id: ask
            type: elicitation
            message: Which label?
            schema:
              type: object
              properties:
                label: { type: string, enum: [bug, feature] }
    `,
  },
  LNT7025: {
    name: 'default-does-not-fit',
    severity: 'warning',
    meaning: 'A default does not fit the schema that it is in.',
    since: '0.1.0',
    fix: 'Change the default or the schema',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: integer, default: many }
        steps:
          - { id: list, tool: github.list_issues }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            label: { type: integer, default: 10 }
        steps:
          - { id: list, tool: github.list_issues }
    `,
  },
  LNT7026: {
    name: 'unbounded-list',
    severity: 'hint',
    meaning:
      'A list that the caller gives may be longer than the step accepts that works through it; when its schema says so, that is a warning.',
    since: '0.1.0',
    fix: 'Bound the list by `maxItems`, or set `maxIterations`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            issues: { type: array }
        steps:
          - id: close
            type: forEach
            collection: '{{ json .params.issues }}'
            step: { id: one, tool: github.close_issue, arguments: { issue: '{{ .forEach.item }}' } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            issues: { type: array, maxItems: 50 }
        steps:
          - id: close
            type: forEach
            collection: '{{ json .params.issues }}'
            step: { id: one, tool: github.close_issue, arguments: { issue: '{{ .forEach.item }}' } }
    `,
  },
  LNT7027: {
    name: 'timeouts-add-up',
    severity: 'warning',
    meaning: 'Steps that wait for each other may take longer together than their workflow.',
    since: '0.1.0',
    fix: 'Lengthen the workflow or shorten the steps',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        timeout: 1m
        steps:
          - { id: list, tool: github.list_issues, timeout: 40s }
          - { id: sort, tool: github.sort, timeout: 40s, dependsOn: [list] }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        timeout: 2m
        steps:
          - { id: list, tool: github.list_issues, timeout: 40s }
          - { id: sort, tool: github.sort, timeout: 40s, dependsOn: [list] }
    `,
  },
  LNT7028: {
    name: 'condition-never-decides',
    severity: 'error',
    meaning: 'A condition cannot render exactly true or false, so its step fails.',
    since: '0.1.0',
    fix: 'Render `true` or `false` alone, without white space around it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            all: { type: boolean }
        steps:
          - id: close
            tool: github.close_issues
            condition: '{{ .params.all }} '
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            all: { type: boolean }
        steps:
          - id: close
            tool: github.close_issues
            condition: '{{ .params.all }}'
    `,
  },
  LNT7029: {
    name: 'collection-is-no-list',
    severity: 'error',
    meaning: 'What a forEach is to go through is not rendered as a JSON array, so the step fails.',
    since: '0.1.0',
    fix: 'Use the function `json`, as in `{{ json .params.items }}`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            issues: { type: array, maxItems: 50 }
        steps:
          - id: close
            type: forEach
            collection: '{{ .params.issues }}'
            step: { id: one, tool: github.close_issue, arguments: { issue: '{{ .forEach.item }}' } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPCompositeToolDefinition
      metadata: { name: triage }
      spec:
        name: triage
        description: Sorts new issues
        parameters:
          type: object
          properties:
            issues: { type: array, maxItems: 50 }
        steps:
          - id: close
            type: forEach
            collection: '{{ json .params.issues }}'
            step: { id: one, tool: github.close_issue, arguments: { issue: '{{ .forEach.item }}' } }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
