import { checkStructure } from '../../../check/structural.ts';
import { getPodTemplateSchema } from '../pod-schema.ts';
import type { Pod, Refusal } from './pod.ts';

/** Checks that required members are in the template, or in what the template is merged over. */
export function checkRequiredMembers({ template }: Pod): Refusal[] {
  return checkStructure(getPodTemplateSchema(), template)
    .filter(({ kind }) => kind === 'missing-field')
    .map(({ path, at, message }) => ({ places: [path], at, message }));
}
