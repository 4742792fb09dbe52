/** The chart that `npm run chart` writes has the same roles and CRDs as the kustomization. */

import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VERSION } from '#schemas';
import { chartFiles } from '../../../build/chart/chart-files.ts';
import { installed } from '../../support/installed.ts';
import { ROOT } from '../../support/process.ts';

const files = chartFiles(ROOT);

const textOf = (path: string): string => {
  const text = files.get(path);
  if (text === undefined) throw new Error(`the chart has no ${path}`);
  return text;
};

test('the chart has the version of Lintel', () => {
  expect(parse(textOf('Chart.yaml'))).toMatchObject({ version: VERSION, appVersion: VERSION });
});

test('the Helm chart has the roles of the kustomization in controller/install, in the namespace of the Helm release', () => {
  const text = textOf('templates/rbac.yaml').replaceAll('{{ .Release.Namespace }}', 'lintel-system');
  const roles = parseAllDocuments(text).map(document => document.toJS() as { kind: string });
  const kinds = new Set(roles.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']));
  expect(roles).toEqual(installed().filter(({ kind }) => kinds.has(kind)));
});

test('the Helm chart has the CRDs of the kustomization in controller/install, and Helm keeps them when the chart is uninstalled', () => {
  const definitions = [...files].filter(([path]) => path.startsWith('crds-of-lintel/')).map(([, text]) => parse(text));
  const expected = installed().filter(({ kind }) => kind === 'CustomResourceDefinition');
  const keep = { 'helm.sh/resource-policy': 'keep' };
  expect(definitions).toEqual(
    expected.map(object => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...(object.metadata as { annotations?: object }).annotations, ...keep },
      },
    })),
  );
});

test('a reader of YAML 1.1, such as Helm, reads the chart as a reader of YAML 1.2 does', () => {
  for (const [path, text] of files) {
    if (!path.endsWith('.yaml') || text.includes('{{')) continue;
    // YAML 1.1 reads a dot as a number, but no Go parser does.
    const quoted = text.replace(/: \.$/gm, ': "."');
    const read = (version: '1.1' | '1.2') => parseAllDocuments(quoted, { version }).map(document => document.toJS());
    expect(read('1.1'), path).toEqual(read('1.2'));
  }
});

test('the schema of the chart describes exactly the values of the chart', () => {
  const values = parse(textOf('values.yaml')) as Record<string, unknown>;
  const { properties } = JSON.parse(textOf('values.schema.json')) as {
    properties: Record<string, { properties?: Record<string, unknown> }>;
  };
  const { global: _, ...own } = properties;
  expect(Object.keys(own).sort()).toEqual(Object.keys(values).sort());
  for (const [name, schema] of Object.entries(own))
    if (schema.properties !== undefined)
      expect(Object.keys(schema.properties), name).toEqual(Object.keys(values[name] as object));
});

test('each value of the chart is used in a template of the chart', () => {
  const templates = [...files].filter(([path]) => path.startsWith('templates/')).map(([, text]) => text);
  const values = parse(textOf('values.yaml')) as Record<string, unknown>;
  for (const name of Object.keys(values)) expect(templates.join('\n'), name).toContain(`.Values.${name}`);
});
