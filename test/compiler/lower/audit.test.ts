/** The audit settings of a bundle, by `config.audit`. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { gatewayConfig, object } from '../../support/rule.ts';

function planOf(audit: string) {
  const text = [object('MCPGroup', '{}', 'tools'), gatewayConfig(`{ audit: ${audit} }`)].join('---\n');
  const { gateways, findings } = compile(readTexts([new SourceText('a.yaml', text)]), {
    purpose: 'language',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  expect(findings.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'LNT2007')).toEqual([]);
  return { plan: gateways[0]?.bundle?.audit, ignored: findings.diagnostics.filter(({ code }) => code === 'LNT1008') };
}

const DEFAULTS = {
  component: 'it',
  eventTypes: [],
  excludeEventTypes: [],
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataBytes: 1024,
  maxDelegationDepth: 10,
  file: null,
};

test.each<[string, object]>([
  ['{ enabled: true }', {}],
  ['{ enabled: true, component: "", logFile: "" }', {}],
  ['{ enabled: true, component: payments }', { component: 'payments' }],
  ['{ enabled: true, eventTypes: [mcp_tool_call] }', { eventTypes: ['mcp_tool_call'] }],
  ['{ enabled: true, excludeEventTypes: [mcp_ping] }', { excludeEventTypes: ['mcp_ping'] }],
  ['{ enabled: true, includeRequestData: true }', { includeRequestData: true }],
  ['{ enabled: true, includeResponseData: true }', { includeResponseData: true }],
  ['{ enabled: true, detectApplicationErrors: false }', { detectApplicationErrors: false }],
  ['{ enabled: true, maxDataSize: 0 }', { maxDataBytes: 0 }],
  ['{ enabled: true, maxDelegationDepth: 1 }', { maxDelegationDepth: 1 }],
  ['{ enabled: true, logFile: /dev/stdout }', {}],
  ['{ enabled: true, logFile: /var/log/lintel/a.jsonl }', { file: '/var/log/lintel/a.jsonl' }],
])('the bundle has the audit settings of %s, and defaults for the other settings', (audit, changed) => {
  expect(planOf(audit)).toEqual({ plan: { ...DEFAULTS, ...changed }, ignored: [] });
});

test.each(['{ enabled: false }', '{}'])(
  'the bundle has no audit log with %s, whatever the other settings are',
  audit => {
    expect(planOf(audit).plan).toBeUndefined();
    const { plan, ignored } = planOf(
      audit.replace('}', `${audit === '{}' ? '' : ', '}logFile: /x/y, eventTypes: [] }`),
    );
    expect(plan).toBeUndefined();
    expect(ignored.map(({ pointer }) => pointer)).toContain('/spec/config/audit/logFile');
  },
);
