import type { Exposure, Totals } from '../exposure.ts';
import { counted } from './words.ts';

/** Such as `1 gateway: 6 tools listed (2 not known to be read-only), 1 hidden, 2 prompts, 1 resource; about 840 tokens`. */
export function summaryOf(exposures: readonly Exposure[]): string {
  const sum = (member: keyof Totals) => exposures.reduce((total, { totals }) => total + totals[member], 0);
  const writing = sum('writing');
  const parts = [
    `${counted(sum('listed'), 'tool')} listed${writing === 0 ? '' : ` (${writing} not known to be read-only)`}`,
    ...(sum('hidden') === 0 ? [] : [`${sum('hidden')} hidden`]),
    ...(sum('composites') === 0 ? [] : [counted(sum('composites'), 'workflow')]),
    counted(sum('prompts'), 'prompt'),
    counted(sum('resources'), 'resource'),
    ...(sum('resourceTemplates') === 0 ? [] : [counted(sum('resourceTemplates'), 'resource template')]),
  ];
  const incomplete = exposures.every(({ complete }) => complete)
    ? ''
    : '; not every backend is in the tool catalog, so there may be more';
  return `${counted(exposures.length, 'gateway')}: ${parts.join(', ')}; about ${counted(sum('tokens'), 'token')}${incomplete}`;
}
