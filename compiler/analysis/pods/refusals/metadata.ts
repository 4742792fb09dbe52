import { getMember } from '#schemas';
import {
  annotationKeyProblem,
  annotationsProblem,
  labelKeyProblem,
  labelValueProblem,
} from '../../../source/name-syntax.ts';
import { getMapping, type Pod, type PodMapping, type Refusal, refuse } from './pod.ts';

/** Labels and annotations of the pods are valid. */
export function podMetadata({ template }: Pod): Refusal[] {
  const metadata = getMapping({ value: template, path: [] }, 'metadata');
  if (metadata === undefined) return [];
  const annotations = listTexts(metadata, 'annotations');
  const tooLarge = annotationsProblem(annotations);
  return [
    ...labelRefusals(metadata, 'labels'),
    ...annotations.flatMap(([key]) => keyRefusal(metadata, 'annotations', key, annotationKeyProblem(key))),
    ...(tooLarge === undefined ? [] : [refuse(metadata, 'annotations', tooLarge, { at: 'key' })]),
  ];
}

/** Errors of the API server about a map of labels. */
export function labelRefusals(parent: PodMapping, name: string): Refusal[] {
  return listTexts(parent, name).flatMap(([key, value]) => {
    const problem = labelValueProblem(value);
    return [
      ...keyRefusal(parent, name, key, labelKeyProblem(key)),
      ...(problem === undefined ? [] : [{ places: [[...parent.path, name, key]], message: problem }]),
    ];
  });
}

function keyRefusal({ path }: PodMapping, name: string, key: string, problem: string | undefined): Refusal[] {
  if (problem === undefined) return [];
  return [{ places: [[...path, name, key]], at: 'key', message: `the name ${JSON.stringify(key)} ${problem}` }];
}

function listTexts({ value }: PodMapping, name: string): (readonly [string, string])[] {
  const members = getMember(value, name);
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return [];
  return Object.entries(members).flatMap(([key, member]) =>
    typeof member === 'string' ? [[key, member] as const] : [],
  );
}
