import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODES, UsageError } from '#compiler';
import { KINDS_FILE, type StructuralSchema } from '#schemas';
import { formatExplanation } from '../../../compiler/commands/explain.ts';
import { listTopics } from '../../../compiler/explain/topics.ts';
import { expectGolden } from '../../support/golden.ts';

const TOPICS = {
  'code.txt': 'LNT3010',
  'kind.txt': 'VirtualMCPServer',
  'object.txt': 'VirtualMCPServer.spec.config.optimizer',
  'configuration.txt': 'RegistryConfig',
  'configuration-field.txt': 'registryconfig.auth.oauth.providers',
  'list.txt': 'VirtualMCPServer.spec.config.aggregation.tools',
  'scalar.txt': 'VirtualMCPServer.spec.config.optimizer.maxToolsToReturn',
  'map.txt': 'VirtualMCPServer.spec.config.optimizer.embeddingHeaders',
  'project.txt': 'lintel.yaml',
  'lock.txt': 'lintel.lock.json',
  'lock-field.txt': 'lintel.lock.json.backends.tools',
  'project-field.txt': 'lintel.yaml.severity',
  'fixed.txt': 'LNT1010',
  'deprecated.txt': 'VirtualMCPServer.spec.incomingAuth.authzConfig.inline.primaryUpstreamProvider',
};

test('lintel explain prints a topic of each kind as expected', () => {
  const texts = Object.entries(TOPICS).map(([file, topic]) => [file, formatExplanation(topic)] as const);
  expectGolden(join(import.meta.dirname, 'goldens', 'cases'), new Map(texts));
});

test.each(Object.entries(CODES))('lintel explain finds %s by its number and by its name', (code, entry) => {
  const text = formatExplanation(code);
  expect(text).toContain(`${code} ${entry.name}\n`);
  expect(text).toContain(entry.severity);
  for (const example of [entry.bad, entry.good]) {
    for (const { file, language, text: part } of example) {
      const indent = { yaml: '  ', json: '  ', ts: '  ', sh: '  $ ' }[language];
      const lines = part.replace(/^(?=.)/gm, file === undefined ? indent : '    ');
      expect(text).toContain(file === undefined ? lines : `\n  ${file}:\n${lines}`);
    }
  }
  expect([code.toLowerCase(), code.slice(3), entry.name].map(one => formatExplanation(one))).toEqual([
    text,
    text,
    text,
  ]);
});

test.each([
  ['LNT1003', 'codes/LNT1003.html'],
  ['unknown-field', 'codes/LNT1003.html'],
  ['VirtualMCPServer', 'fields/VirtualMCPServer.html'],
  [
    'VirtualMCPServer.spec.config.aggregation.tools[].workload',
    'fields/VirtualMCPServer.spec.config.aggregation.tools.workload.html',
  ],
  ['lintel.yaml.severity', 'fields/lintel.yaml.severity.html'],
])('lintel explain names the web page of %s if the documentation has a site', (topic, page) => {
  expect(formatExplanation(topic, 'https://docs.example.com/')).toContain(
    `\nPAGE:\n  https://docs.example.com/${page}\n`,
  );
  expect(formatExplanation(topic)).not.toContain('PAGE:');
});

test('lintel explain shows only the API groups that serve a kind', () => {
  expect(formatExplanation('GatewaySource')).toContain('VERSION:  lintel.dev/v1beta1\n');
  expect(formatExplanation('GatewaySource.apiVersion')).not.toContain('toolhive');
  expect(formatExplanation('MCPGroup')).toContain('VERSION:  lintel.dev/v1beta1, toolhive.stacklok.dev/v1beta1\n');
});

test('lintel explain describes every kind and every file, alone and in the list of topics', () => {
  const list = listTopics();
  const names = [...Object.keys(KINDS_FILE), 'RegistryConfig', 'lintel.yaml', 'lintel.lock.json'];
  expect(names).toHaveLength(17);
  for (const name of names) {
    const [, description = ''] = /\nDESCRIPTION:\n {2}(\S.*\S)/.exec(formatExplanation(name)) ?? [];
    expect(description.length, name).toBeGreaterThan(20);
    expect(list).toContain(`\n  ${name}\n      ${description.split(' ').slice(0, 3).join(' ')} `);
  }
});

test('lintel explain prints every field of every kind, with its constraints and the fields below it', () => {
  let fields = 0;
  for (const { kind, spec, status } of Object.values(KINDS_FILE)) {
    const visit = (path: string, schema: StructuralSchema): void => {
      fields += 1;
      const text = formatExplanation(path);
      expect(text).toContain(`\nPATH: `);
      expect(text.split('\n').find(line => line.startsWith('PATH:'))).toMatch(new RegExp(`  ${escaped(path)}$`));
      for (const value of [schema.pattern, ...(schema.enum ?? [])]) {
        if (value !== undefined) expect(text).toContain(String(value));
      }
      if (schema.default !== undefined) expect(text).toContain(`DEFAULT: `);
      if (schema.deprecated) expect(text).toContain('DEPRECATED: ');
      for (const [name, child] of Object.entries(schema.properties ?? {})) {
        expect(text).toMatch(new RegExp(`^  ${escaped(name)} `, 'm'));
        visit(`${path}.${name}`, child);
      }
      if (schema.items) visit(`${path}[]`, schema.items);
      if (schema.additionalProperties) visit(`${path}.*`, schema.additionalProperties);
    };
    visit(`${kind}.spec`, spec);
    visit(`${kind}.status`, status);
  }
  expect(fields).toBeGreaterThan(500);
});

test.each([
  ['virtualmcpserver.spec.config', 'VirtualMCPServer.spec.config'],
  ['virtualmcpservers.spec.config', 'VirtualMCPServer.spec.config'],
  [
    'VirtualMCPServer.spec.config.aggregation.tools[0].workload',
    'VirtualMCPServer.spec.config.aggregation.tools[].workload',
  ],
  [
    'VirtualMCPServer.spec.config.aggregation.tools.workload',
    'VirtualMCPServer.spec.config.aggregation.tools[].workload',
  ],
  [
    'VirtualMCPServer.spec.config.aggregation.tools.overrides.name',
    'VirtualMCPServer.spec.config.aggregation.tools[].overrides.*.name',
  ],
])('lintel explain prints for %s the field %s', (topic, path) => {
  expect(formatExplanation(topic)).toBe(formatExplanation(path));
  expect(formatExplanation(topic)).toContain(` ${path}\n`);
});

test.each([
  ['VirtualMCPSever', 'no kind or code is named "VirtualMCPSever"; did you mean VirtualMCPServer?'],
  ['Pod', 'no kind or code is named "Pod"; lintel explain lists all topics'],
  ['LNT9999', 'no code LNT9999; lintel explain lists all codes'],
  ['unknwn-field', 'no topic "unknwn-field"; did you mean unknown-field?'],
  ['MCPGroup.spc', 'MCPGroup has no field "spc"; did you mean MCPGroup.spec?'],
  [
    'VirtualMCPServer.spec.config.optimiser.embeddingModel',
    'VirtualMCPServer.spec.config has no field "optimiser"; did you mean VirtualMCPServer.spec.config.optimizer.embeddingModel?',
  ],
  [
    'VirtualMCPServer.spec.config.aggregation.tools.worklod',
    'VirtualMCPServer.spec.config.aggregation.tools[] has no field "worklod"; did you mean VirtualMCPServer.spec.config.aggregation.tools[].workload?',
  ],
  ['MCPGroup.spec.constructor', 'MCPGroup.spec has no field "constructor"; it has description'],
  ['MCPGroup.spec.description.x', 'MCPGroup.spec.description has no fields that a schema names'],
  ['MCPGroup.spec[]', 'MCPGroup.spec is no list'],
  ['MCPGroup.spec.*', 'MCPGroup.spec is no map'],
  ['lintel.yaml.budgets.tokns', 'lintel.yaml.budgets has no field "tokns"; did you mean lintel.yaml.budgets.tokens?'],
  ['lintel.lock.jsn', 'no kind or code is named "lintel"; did you mean lintel.lock.json?'],
  ['MCPGroup.', 'MCPGroup has no field ""; it has apiVersion, kind, metadata, spec, status'],
])('lintel explain refuses the unknown topic %s', (topic, message) => {
  expect(() => formatExplanation(topic)).toThrow(new UsageError(message));
});

test('lintel explain without a topic lists every kind and every code', () => {
  const text = listTopics();
  for (const kind of Object.keys(KINDS_FILE)) expect(text).toContain(`\n  ${kind}\n`);
  for (const [code, { name }] of Object.entries(CODES))
    expect(text).toMatch(new RegExp(`^  ${code}  \\w+ +${name}$`, 'm'));
});

function escaped(text: string): string {
  return text.replace(/[.*[\]]/g, '\\$&');
}
