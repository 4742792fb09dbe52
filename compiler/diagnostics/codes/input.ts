import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const INPUT_CODES = {
  LNT1001: {
    name: 'broken-syntax',
    severity: 'error',
    meaning:
      'The text of a document is not YAML, or that of a `.json` file not JSON. Other documents of the file are still checked.',
    since: '0.1.0',
    fix: 'Correct it and check again: the rest of the document was not looked at',
    fixed: 'unreadable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1002: {
    name: 'duplicate-key',
    severity: 'error',
    meaning: 'A mapping holds the same key twice. Readers differ in which one they keep, so none is chosen.',
    since: '0.1.0',
    fix: 'Remove one of the two',
    fixed: 'unreadable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata:
        name: eng
        name: ops
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata:
        name: eng
    `,
  },
  LNT1003: {
    name: 'unknown-field',
    severity: 'error',
    meaning: 'The kind has no such field. The API server would drop it without a word.',
    since: '0.1.0',
    fix: 'Correct the spelling or remove the field',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolutoin: prefix
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
            conflictResolution: prefix
    `,
  },
  LNT1004: {
    name: 'wrong-type',
    severity: 'error',
    meaning: 'The value has another type than the field, such as a number where text is expected.',
    since: '0.1.0',
    fix: 'Write a value of the type that the message names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      spec: { description: 2026 }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      spec: { description: "2026" }
    `,
  },
  LNT1005: {
    name: 'cel-rule-failed',
    severity: 'error',
    meaning:
      'The value breaks a validation rule of the schema, or makes it fail. The API server would reject the object.',
    since: '0.1.0',
    fix: 'Change the fields that the rule names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: eng }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec: { type: inline, inline: { issuer: https://login.example.com } }
    `,
  },
  LNT1006: {
    name: 'deprecated-api-version',
    severity: 'warning',
    meaning: 'The API version is still accepted and will be removed. Its fields are those of the storage version.',
    since: '0.1.0',
    fix: 'Write the storage version',
    bad: yaml`
      apiVersion: lintel.dev/v1alpha1
      kind: MCPGroup
      metadata: { name: eng }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1007: {
    name: 'unknown-kind',
    severity: 'error',
    meaning: 'The API group is one of ours and has no such kind.',
    since: '0.1.0',
    fix: 'Correct the kind or the API group',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGruop
      metadata: { name: eng }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1008: {
    name: 'field-ignored',
    severity: 'warning',
    meaning: 'The field is valid and has no effect here, because another field or the mode overrules it.',
    since: '0.1.0',
    fix: 'Remove the field, or change what overrules it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: prefix
            conflictResolutionConfig: { priorityOrder: [github] }
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
  LNT1009: {
    name: 'not-supported-yet',
    severity: 'error',
    meaning:
      'The field is valid and this version cannot serve what it asks for, so no bundle is built. A hint with `lintel check --language-only`, and where nothing is built.',
    since: '0.1.0',
    fix: 'Wait for a version that supports it; take the field out only if the gateway is right without it',
    fixed: 'unservable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          codeMode: { enabled: true }
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
  LNT1010: {
    name: 'missing-field',
    severity: 'error',
    meaning: 'A required field is absent.',
    since: '0.1.0',
    fix: 'Add the field',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
  },
  LNT1011: {
    name: 'not-in-enum',
    severity: 'error',
    meaning: 'The value is not one of the values that the field allows.',
    since: '0.1.0',
    fix: 'Write one of the values that the message names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            conflictResolution: prefics
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
            conflictResolution: prefix
    `,
  },
  LNT1012: {
    name: 'pattern-mismatch',
    severity: 'error',
    meaning: 'The text does not match the pattern of the field.',
    since: '0.1.0',
    fix: 'Write text of the form that the message names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            timeouts: { default: 30 seconds }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            timeouts: { default: 30s }
    `,
  },
  LNT1013: {
    name: 'out-of-bounds',
    severity: 'error',
    meaning: 'A number, a length or a count is below its minimum or above its maximum.',
    since: '0.1.0',
    fix: 'Write a value within the bounds that the message names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        replicas: -1
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        replicas: 1
    `,
  },
  LNT1014: {
    name: 'invalid-format',
    severity: 'error',
    meaning: 'The value has the right type and not the required form, or is a number that cannot be held exactly.',
    since: '0.1.0',
    fix: 'Write the value in the form that the message names',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec: { spec: { terminationGracePeriodSeconds: .inf } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec: { spec: { terminationGracePeriodSeconds: 60 } }
    `,
  },
  LNT1015: {
    name: 'duplicate-item',
    severity: 'error',
    meaning: 'A list whose items must differ holds two equal ones, or two with the same key.',
    since: '0.1.0',
    fix: 'Remove or rename one of the two',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPToolConfig
      metadata: { name: read-only }
      spec:
        toolsFilter: [get_issue, get_issue]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPToolConfig
      metadata: { name: read-only }
      spec:
        toolsFilter: [get_issue, list_issues]
    `,
  },
  LNT1016: {
    name: 'deprecated-field',
    severity: 'warning',
    meaning: 'The field still works and will be removed.',
    since: '0.1.0',
    fix: 'Use the field that replaces it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          telemetry: { endpoint: otel.example.com:4318 }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        telemetryConfigRef: { name: otel }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPTelemetryConfig
      metadata: { name: otel }
      spec:
        openTelemetry: { enabled: true, endpoint: otel.example.com:4318, tracing: { enabled: true } }
    `,
  },
  LNT1017: {
    name: 'input-too-large',
    severity: 'error',
    meaning: 'The input passes a ceiling: bytes, documents, depth, aliases, values or files.',
    since: '0.1.0',
    fix: 'Split the input or make it smaller',
    fixed: 'unreadable',
  },
  LNT1018: {
    name: 'unreadable-input',
    severity: 'error',
    meaning: 'A file or folder cannot be read, or is not UTF-8 text. What it holds was not checked.',
    since: '0.1.0',
    fix: 'Make it readable, or save it as UTF-8',
    fixed: 'unreadable',
  },
  LNT1019: {
    name: 'invalid-metadata',
    severity: 'error',
    meaning:
      'The metadata of an object is missing, or its name, its namespace, a label or an annotation is not one that Kubernetes accepts.',
    since: '0.1.0',
    fix: 'Give the object a valid name, namespace, labels and annotations, such as the name `eng-tools` and the label `team: platform`',
    fixed: 'admission',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: Eng_Tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng-tools }
    `,
  },
  LNT1020: {
    name: 'rule-not-checked',
    severity: 'warning',
    meaning:
      'A rule, a matcher or a JSON Schema could not be checked here, so whether it is kept, or right, is not known.',
    since: '0.1.0',
    fix: 'Ask the API server, with `kubectl apply --dry-run=server`',
    fixed: 'unreadable',
  },
  LNT1021: {
    name: 'fields-exclude-each-other',
    severity: 'error',
    meaning: 'Fields are set that exclude each other.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Keep one of them',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            default:
              type: header_injection
              headerInjection: { headerName: X-Tenant, headerValue: eng, headerValueEnv: TENANT }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            default:
              type: header_injection
              headerInjection: { headerName: X-Tenant, headerValueEnv: TENANT }
    `,
  },
  LNT1022: {
    name: 'durations-out-of-order',
    severity: 'warning',
    meaning:
      'A duration is not shorter than the one that it should end before. An error for health checks, which would overlap.',
    since: '0.1.0',
    fix: 'Make the shorter one shorter or the longer one longer',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            failureHandling: { partialFailureMode: best_effort, healthCheckInterval: 30s, healthCheckTimeout: 1m }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            failureHandling: { partialFailureMode: best_effort, healthCheckInterval: 30s, healthCheckTimeout: 10s }
    `,
  },
  LNT1023: {
    name: 'shared-service-name',
    severity: 'warning',
    meaning: 'Two servers of a namespace report telemetry under one service name, so nobody can tell them apart.',
    since: '0.1.0',
    fix: 'Give each its own name, or leave it out for the name of the server',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        telemetryConfigRef: { name: otel, serviceName: mcp }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: ops }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        telemetryConfigRef: { name: otel, serviceName: mcp }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPTelemetryConfig
      metadata: { name: otel }
      spec:
        prometheus: { enabled: true }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        telemetryConfigRef: { name: otel, serviceName: mcp }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: ops }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        telemetryConfigRef: { name: otel, serviceName: mcp-ops }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPTelemetryConfig
      metadata: { name: otel }
      spec:
        prometheus: { enabled: true }
    `,
  },
  LNT1024: {
    name: 'two-readings',
    severity: 'warning',
    meaning:
      'A value or key without quotes is one thing to readers of YAML 1.1, such as many programs in Go and Python, and another to readers of YAML 1.2: an octal number such as 0644 or 0o644, 1_000, 1:30, or yes, no, on and off.',
    since: '0.1.0',
    fix: 'Quote it if it is text, such as "0644", or write what both read alike, such as 420 or true',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec: { spec: { volumes: [{ name: notes, configMap: { name: notes, defaultMode: 0644 } }] } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec: { spec: { volumes: [{ name: notes, configMap: { name: notes, defaultMode: 420 } }] } }
    `,
  },
  LNT1025: {
    name: 'null-field',
    severity: 'warning',
    meaning:
      'A field has no value, as when the items of a list were taken out and its name was left. The API server drops such a field, and a registry server reads it as none, so it counts as absent, or as its default. A required field without a value is an error, and so is an item of a list.',
    since: '0.1.0',
    fix: 'Remove the field, or write a value after it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: notes }
      spec:
        image: registry.example/notes:1.0.0
        env:
        # - { name: LOG_LEVEL, value: debug }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: notes }
      spec:
        image: registry.example/notes:1.0.0
        # env:
        # - { name: LOG_LEVEL, value: debug }
    `,
  },
  LNT1045: {
    name: 'invalid-matcher',
    severity: 'error',
    meaning: 'A matcher is no CEL expression over `claims` that is true or false.',
    since: '0.1.0',
    fixed: 'unbuildable',
    fix: 'Write an expression such as `"admins" in claims.groups`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: aws }
      spec:
        type: awsSts
        awsSts:
          region: eu-central-1
          roleMappings:
            - { matcher: '"admins" in claim.groups', roleArn: 'arn:aws:iam::123456789012:role/reader' }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: aws }
      spec:
        type: awsSts
        awsSts:
          region: eu-central-1
          roleMappings:
            - { matcher: '"admins" in claims.groups', roleArn: 'arn:aws:iam::123456789012:role/reader' }
    `,
  },
  LNT1046: {
    name: 'invalid-pod-template',
    severity: 'error',
    meaning: 'What is merged over the generated pod does not read as a pod template.',
    since: '0.1.0',
    fixed: 'admission',
    fix: 'Write it as the template of a Deployment, and address the main container by its name',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec:
          spec:
            containers:
              - { name: gateway, resources: { limits: { memory: 1Gi } } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec:
          spec:
            containers:
              - { name: vmcp, resources: { limits: { memory: 1Gi } } }
    `,
  },
  LNT1047: {
    name: 'unusual-tool-name',
    severity: 'warning',
    meaning:
      'A name is given to a tool that clients may refuse, or a filter that matches none. An error where the gateway withholds the tool: a name with spaces or invisible characters, or with more than 128 characters.',
    since: '0.1.0',
    fix: 'Use 1 to 128 letters, digits, `_`, `-` and `.`, such as `search_notes`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPToolConfig
      metadata: { name: names }
      spec:
        toolsOverride:
          create_issue: { name: create issue }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPToolConfig
      metadata: { name: names }
      spec:
        toolsOverride:
          create_issue: { name: create-issue }
    `,
  },
  LNT1050: {
    name: 'catalog-edited',
    severity: 'error',
    meaning: 'A definition in the tool lock is not the one whose digest stands beside it: it was edited by hand.',
    since: '0.1.0',
    fixed: 'unreadable',
    fix: 'Let `lintel lock` write the file',
  },
  LNT1051: {
    name: 'catalog-version',
    severity: 'error',
    meaning: 'The tool lock has a format that this version does not read.',
    since: '0.1.0',
    fixed: 'unreadable',
    fix: 'Use the version of Lintel that wrote it, or write it anew with `lintel lock`',
  },
  LNT1052: {
    name: 'catalog-misnamed',
    severity: 'error',
    meaning: 'A name in the tool lock leads to no backend, or to a definition that has another name.',
    since: '0.1.0',
    fixed: 'unreadable',
    fix: 'Let `lintel lock` write the file',
  },
  LNT1055: {
    name: 'refused-pod',
    severity: 'error',
    meaning:
      'The API server refuses the pod that the pod template makes of the generated one: a volume that is not there, a name or port twice, a request above its limit, a probe without a way to ask, and the like.',
    since: '0.1.0',
    fixed: 'admission',
    fix: 'Change what the finding points at, or set a part of the generated pod to `null` that it cannot be combined with',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec:
          spec:
            containers:
              - name: vmcp
                resources: { limits: { memory: 64Mi } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        podTemplateSpec:
          spec:
            containers:
              - name: vmcp
                resources: { requests: { memory: 64Mi }, limits: { memory: 64Mi } }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
