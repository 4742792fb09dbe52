import { checkStructure } from '../../../check/structural.ts';
import { getPodTemplateSchema } from '../pod-schema.ts';
import type { Pod, Refusal } from './pod.ts';

/** Required members are in the template or in what it is merged over. */
export function checkRequiredMembers({ template }: Pod): Refusal[] {
  return checkStructure(getPodTemplateSchema(), template)
    .filter(({ kind }) => kind === 'missing-field')
    .map(({ path, at, message }) => ({ places: [path], at, message }));
}
