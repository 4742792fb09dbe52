import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

/** About `lintel.yaml`, suppressions and the baseline: what decides which findings count. */
export const PROJECT_CODES = {
  LNT1030: {
    name: 'unknown-suppressed-code',
    severity: 'warning',
    meaning: 'A suppression names a code that there is not, so it suppresses nothing.',
    since: '0.1.0',
    fix: 'Correct the code; lintel explain lists all of them',
    fixed: 'oversight',
    bad: yaml`
      # lintel-ignore LNT1066: the clusters are upgraded in spring
      apiVersion: lintel.dev/v1alpha1
      kind: MCPGroup
      metadata: { name: eng }
    `,
    good: yaml`
      # lintel-ignore LNT1006: the clusters are upgraded in spring
      apiVersion: lintel.dev/v1alpha1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1031: {
    name: 'malformed-suppression',
    severity: 'warning',
    meaning:
      'A suppression is misspelt, has no code, no reason, or a detail that cannot be read, so it suppresses nothing.',
    since: '0.1.0',
    fix: 'Write the code and the reason, and with it the owner or the last day if wanted, such as `# lintel-ignore LNT1006: upgraded in spring (owner: @platform, expires: 2099-05-31)`',
    fixed: 'oversight',
    bad: yaml`
      # lintel-ignore LNT1006
      apiVersion: lintel.dev/v1alpha1
      kind: MCPGroup
      metadata: { name: eng }
    `,
    good: yaml`
      # lintel-ignore LNT1006: the clusters are upgraded in spring (owner: @platform, expires: 2099-05-31)
      apiVersion: lintel.dev/v1alpha1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1032: {
    name: 'expired-suppression',
    severity: 'warning',
    meaning: 'The last day of a suppression is over, so it suppresses nothing any more.',
    since: '0.1.0',
    fix: 'Put right what it suppressed, or give it a new day and say why',
    fixed: 'oversight',
    bad: yaml`
      # lintel-ignore LNT1006: the clusters are upgraded in spring (expires: 2025-05-31)
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
  LNT1033: {
    name: 'unused-suppression',
    severity: 'warning',
    meaning: 'There is no finding of the code where a suppression stands, so it would hide the next one unseen.',
    since: '0.1.0',
    fix: 'Remove it',
    fixed: 'oversight',
    bad: yaml`
      # lintel-ignore LNT1006: the clusters are upgraded in spring
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
  },
  LNT1034: {
    name: 'fixed-code',
    severity: 'warning',
    meaning:
      'A code is suppressed or turned down whose findings are facts, such as what the API server refuses. An error in lintel.yaml.',
    since: '0.1.0',
    fix: 'Put right what the finding says',
    fixed: 'oversight',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      spec:
        # lintel-ignore LNT1003: everybody here writes it like that
        descripton: for engineers
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      spec:
        description: for engineers
    `,
  },
  LNT1035: {
    name: 'stale-baseline',
    severity: 'warning',
    meaning: 'Findings of the baseline do not occur any more, so it would hide the next ones of their kind unseen.',
    since: '0.1.0',
    fix: 'Run lintel baseline --prune with the same paths',
    fixed: 'oversight',
  },
  LNT1036: {
    name: 'unpinned-profile',
    severity: 'hint',
    meaning: 'The profile is named without its version, so a new version of Lintel may bring new errors.',
    since: '0.1.0',
    fix: 'Add the version, such as `recommended@2026.1`',
  },
  LNT1040: {
    name: 'escape-hatch',
    severity: 'hint',
    meaning:
      'A program set a part of the object past the constructs of lintel/cdk8s, by a JSON patch: they vouch for nothing there. The annotation lintel.dev/escape-hatches lists these places.',
    since: '0.1.0',
    fix: 'Use a property or a method of the construct, where there is one',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng, annotations: { lintel.dev/escape-hatches: '["/spec/description"]' } }
      spec: { description: Tools of the engineers }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      spec: { description: Tools of the engineers }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
