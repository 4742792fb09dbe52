/** Runs a single rule, by its name, over the configuration of a registry server, which must satisfy the schema. */
import { expect } from 'vitest';
import { checkConfig } from '../../compiler/analysis/registry/check-config.ts';
import { readTexts, SourceText } from '../../compiler/index.ts';
import { REGISTRY_RULES } from '../../compiler/rules/registry/index.ts';
import { classify } from '../../compiler/source/classify.ts';
import { findRule } from './named-rule.ts';

/** A source and a registry for which no rule has a finding; on lines 1 to 6. */
export const VIEWS = `sources:
  - name: catalog
    file: { path: servers.json }
registries:
  - name: main
    sources: [catalog]
`;

/** `auth.oauth` with these fields in block style, which start on line 11, column 5, and roles with claims. */
export function oauth(fields: string): string {
  return `${VIEWS}auth:\n  authz: { roles: { superAdmin: [{ role: admin }] } }\n  oauth:\n    resourceUrl: https://registry.example.com\n    ${fields.trim()}\n`;
}

/** One provider with these fields besides its name, in flow style on line 12: they start at column 23. */
export function provider(fields: string): string {
  return oauth(`providers:\n      - { name: corp, ${fields} }`);
}

/** Sources in block style, from line 1, with a registry that lists the named ones. */
export function sources(list: string, shown = 'a'): string {
  return `sources:\n${list}registries: [{ name: main, sources: [${shown}] }]\nauth: { mode: anonymous }\n`;
}

/** Findings as `LNT8001 error 4:9 the message`, in the order of the rule. */
export function judgeConfig(rule: string, config: string): string[] {
  const { documents, diagnostics } = readTexts([new SourceText('registry.yaml', config)]);
  expect(diagnostics).toEqual([]);
  const { registryConfigs } = classify(documents, { groups: [], kinds: [], named: new Set(['registry.yaml']) });
  const [document] = registryConfigs;
  if (document === undefined) throw new Error('not taken for a configuration');
  const checked = checkConfig(document);
  expect(checked.diagnostics).toEqual([]);
  return (checked.registry === undefined ? [] : findRule(REGISTRY_RULES, rule)(checked.registry)).map(
    ({ code, severity, range, message }) => `${code} ${severity} ${range.start.line}:${range.start.column} ${message}`,
  );
}
