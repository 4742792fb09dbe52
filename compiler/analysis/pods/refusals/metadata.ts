import { getMember } from '#schemas';
import {
  findAnnotationKeyProblem,
  findAnnotationsProblem,
  findLabelKeyProblem,
  findLabelValueProblem,
} from '../../../source/name-syntax.ts';
import { getMapping, type Pod, type PodMapping, type Refusal, refuse } from './pod.ts';

/** Checks that labels and annotations of the pods are valid. */
export function checkPodMetadata({ template }: Pod): Refusal[] {
  const metadata = getMapping({ value: template, path: [] }, 'metadata');
  if (metadata === undefined) return [];
  const annotations = listTexts(metadata, 'annotations');
  const tooLarge = findAnnotationsProblem(annotations);
  return [
    ...checkLabels(metadata, 'labels'),
    ...annotations.flatMap(([key]) => checkKey(metadata, 'annotations', key, findAnnotationKeyProblem(key))),
    ...(tooLarge === undefined ? [] : [refuse(metadata, 'annotations', tooLarge, { at: 'key' })]),
  ];
}

/** Errors of the API server about a map of labels. */
export function checkLabels(parent: PodMapping, name: string): Refusal[] {
  return listTexts(parent, name).flatMap(([key, value]) => {
    const problem = findLabelValueProblem(value);
    return [
      ...checkKey(parent, name, key, findLabelKeyProblem(key)),
      ...(problem === undefined ? [] : [{ places: [[...parent.path, name, key]], message: problem }]),
    ];
  });
}

function checkKey({ path }: PodMapping, name: string, key: string, problem: string | undefined): Refusal[] {
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
