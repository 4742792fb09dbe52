/** Programs that fail, all with the same first lines. Every finding must be at its place in TypeScript. */
import { expect } from 'vitest';
import type { ProgramOptions } from '../../../compiler/program/run-program.ts';
import { line, ProgramWorld } from '../../support/program-world.ts';

export const HEAD = `import { App, ApiObject, Chart } from 'cdk8s';
const app = new App();
const chart = new Chart(app, 'Eng');
export default app;
const object = (id: string, props: object = {}) => new ApiObject(chart, id, { apiVersion: 'v1', kind: 'ConfigMap', ...props });
`;

/** A program that fails: its lines after the common ones, from line 6 on, and its findings. */
export type BadProgram = [name: string, body: string, expected: readonly string[], options?: Partial<ProgramOptions>];

/** Expects that each finding is at its place, and that a program with an error gives no objects. */
export async function expectFindings(
  body: string,
  expected: readonly string[],
  options?: Partial<ProgramOptions>,
): Promise<void> {
  await using world = await ProgramWorld.with({ 'app.ts': `${HEAD}${body}\n` });
  const { outcome, synthesized } = await world.run('app.ts', options);
  expect(outcome.diagnostics.map(line)).toEqual(expected);
  const isWrong = outcome.diagnostics.some(({ severity }) => severity === 'error');
  expect(synthesized === undefined).toBe(isWrong);
  expect(outcome.documents.length > 0).toBe(!isWrong && body.includes('object('));
}
