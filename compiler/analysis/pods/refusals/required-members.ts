import { checkStructure } from '../../../check/structural.ts';
import { podTemplateSchema } from '../pod-schema.ts';
import type { Pod, Refusal } from './pod.ts';

/** Required members are in the template or in what it is merged over. */
export function requiredMembers({ template }: Pod): Refusal[] {
  return checkStructure(podTemplateSchema(), template)
    .filter(({ kind }) => kind === 'missing-field')
    .map(({ path, at, message }) => ({ places: [path], at, message }));
}
