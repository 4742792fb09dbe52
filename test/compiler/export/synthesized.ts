/** Objects before and after they were exported to a program, for comparison field by field. */
import { parse, parseAllDocuments } from 'yaml';
import { readTexts, SourceText } from '#compiler';
import { exportProgram } from '../../../compiler/export/index.ts';
import { synthesize } from '../../support/synthesize.ts';

export interface Synthesized {
  readonly program: string;
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** @param text YAML of objects; each is returned at the same position, whatever the order of the program */
export function synthesized(text: string): Synthesized {
  const { text: program } = exportProgram(readTexts([new SourceText('spec.yaml', text)]), { title: 'sample' });
  const objects = (yaml: string, version: '1.1' | '1.2') =>
    parseAllDocuments(yaml, { version }).map(document => comparable(document.toJS()));
  const before = objects(text, '1.2');
  // As cdk8s writes it.
  const after = synthesize(program).flatMap(file => objects(file.text, '1.1'));
  return { program, before: before.toSorted(byName), after: after.toSorted(byName) };
}

interface Comparable {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly configYAML?: string; readonly steps?: readonly Step[] };
}

/** A string that contains a document is compared as a document, and an object always has a spec. */
function comparable(object: Comparable): Comparable {
  const spec = object.spec ?? {};
  if (object.kind === undefined) return object;
  if (spec.steps !== undefined) return { ...object, spec: comparableWorkflow(spec) };
  if (spec.configYAML === undefined) return { ...object, spec };
  const config = parse(spec.configYAML);
  return { ...object, spec: { ...spec, configYAML: { registryName: object.metadata?.name, ...config } } };
}

interface Step {
  readonly type?: string;
  readonly arguments?: object;
  readonly step?: Step;
}

/** A workflow without settings that equal their absence. */
export function comparableWorkflow({ steps = [], ...others }: { readonly steps?: readonly Step[] }): object {
  return { ...others, steps: steps.map(comparableStep) };
}

/** A step with the default type written out, and without empty arguments. */
function comparableStep({ type = 'tool', arguments: args = {}, step, ...others }: Step): Step {
  return { type, arguments: args, ...(step !== undefined && { step: comparableStep(step) }), ...others };
}

function byName(one: Comparable, other: Comparable): number {
  const key = ({ kind, metadata }: Comparable) => `${kind}/${metadata?.name}`;
  return key(one) < key(other) ? -1 : 1;
}
