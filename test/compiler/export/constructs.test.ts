/** `lintel export` writes each kind as its intent-level construct. What constructs cannot express is written as a plain spec, with the reason. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { typeErrors } from '../../support/type-check.ts';
import { formatRow, type Row } from './row.ts';
import { rows } from './rows.ts';
import { comparableWorkflow, synthesized } from './synthesized.ts';

describe('exported constructs', () => {
  test.each(rows)('an exported program synthesizes the same $kind: $name', row => {
    const { program, before, after } = synthesized(formatRow(row));
    expect(program).toContain(row.says);
    expect(/^ *\/\/ Written out: (.*)$/m.exec(program)?.[1]).toBe(row.because);
    expect(after).toEqual(before);
  });

  test.each(rows.filter(({ kind }) => kind === 'VirtualMCPCompositeToolDefinition'))(
    'an exported program synthesizes the same workflow inside of a gateway: $name',
    row => {
      const { program, after } = synthesized(findGateway(row));
      expect(program).toContain(row.because === undefined ? 'new Workflow(eng, ' : 'new WrittenWorkflow(eng, ');
      const [, gateway] = after as { spec: { config: { compositeTools: object[] } } }[];
      expect(gateway?.spec.config.compositeTools.map(comparableWorkflow)).toEqual([comparableWorkflow(row.spec)]);
    },
  );

  test('exported programs of all kinds have no type errors', () => {
    const texts = rows.flatMap(row =>
      row.kind === 'VirtualMCPCompositeToolDefinition' ? [formatRow(row), findGateway(row)] : [formatRow(row)],
    );
    const programs = texts.map((text, index) => [`${index}.ts`, synthesized(text).program]);
    expect(typeErrors(Object.fromEntries(programs))).toEqual([]);
  });
});

function findGateway({ spec }: Row): string {
  const group = { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', metadata: { name: 'tools' } };
  const gateway = {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'VirtualMCPServer',
    metadata: { name: 'eng' },
    spec: { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' }, config: { compositeTools: [spec] } },
  };
  return [group, gateway].map(object => stringify(object)).join('---\n');
}
