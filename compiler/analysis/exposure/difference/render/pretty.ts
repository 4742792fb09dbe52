import { styleText } from 'node:util';
import { printable } from '../../../../diagnostics/render/printable.ts';
import type { ExposureDifference, ItemChange } from '../difference.ts';
import type { DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  alarming,
  aspectText,
  callerText,
  changeText,
  formatTitle,
  INCOMPLETE_TEXT,
  scoreAlarms,
  summaryText,
} from './words.ts';

type Paint = (format: 'bold' | 'dim' | 'yellow', text: string) => string;

const SIGNS: { readonly [C in ItemChange['change']]: string } = {
  added: '+',
  removed: '-',
  renamed: '~',
  changed: '~',
};

/** For people: what needs a look, then each gateway and registry server. `!` marks what needs one. */
export const renderDifferencePretty: DifferenceRenderer = (differences, { color, notCompared }) => {
  const paint: Paint = (format, text) => (color ? styleText(format, text, { validateStream: false }) : text);
  const blocks = differences.filter(({ change }) => change !== 'none').map(one => blockOf(one, paint));
  const looks = alarming(differences).map(({ difference: { namespace, name }, change }) => {
    const why = change.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', ');
    return paint('yellow', `  ! ${line(`${namespace}/${name}: ${change.type} ${change.name}: ${why}`)}`);
  });
  const top = looks.length === 0 ? [] : [`${[paint('bold', 'Look at these first'), ...looks].join('\n')}\n`];
  return [...top, ...blocks, `${summaryText(differences, notCompared)}\n`].join('\n');
};

function blockOf(difference: ExposureDifference, paint: Paint): string {
  const { callers, changes, complete } = difference;
  return [
    paint('bold', line(formatTitle(difference))),
    ...callers.map(caller => `  ${line(callerText(caller))}`),
    ...changes.flatMap(change => [
      changeLine(change, paint),
      ...change.aspects.map(aspect => `      ${paint('dim', line(aspectText(aspect)))}`),
    ]),
    ...(complete ? [] : [`  ${paint('dim', INCOMPLETE_TEXT)}`]),
    '',
  ].join('\n');
}

function changeLine(change: ItemChange, paint: Paint): string {
  const isGrave = scoreAlarms(change) > 0;
  const text = `  ${isGrave ? '!' : SIGNS[change.change]} ${line(`${changeText(change)}: ${namesOf(change)}`)}`;
  const effect = change.effect === 'same' ? '' : ` (${change.effect})`;
  return isGrave ? paint('yellow', text + effect) : text + effect;
}

function namesOf({ name, formerName }: ItemChange): string {
  return formerName === undefined ? name : `${formerName} → ${name}`;
}

/** A condition of a policy may be written over several lines. */
function line(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' '));
}
