import { styleText } from 'node:util';
import { printable } from '../../../../diagnostics/render/printable.ts';
import type { ExposureDifference, ItemChange } from '../difference.ts';
import { type ChangeGroup, groupAlarms, groupChanges, shortAspect, shortCallers } from './grouped.ts';
import type { DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  alarmAspects,
  alarming,
  aspectText,
  BUNDLES_TITLE,
  bundleText,
  callerTexts,
  changeText,
  cutList,
  formatTitle,
  INCOMPLETE_TEXT,
  scoreAlarms,
  summaryText,
  typeText,
} from './words.ts';

type Paint = (format: 'bold' | 'dim' | 'yellow', text: string) => string;

const SIGNS: { readonly [C in ItemChange['change']]: string } = {
  added: '+',
  removed: '-',
  renamed: '~',
  changed: '~',
};

/** Text output: what needs a look, marked with `!`, then each gateway and registry server. */
export const renderDifferencePretty: DifferenceRenderer = (differences, { color, notCompared, bundles = [] }) => {
  const paint: Paint = (format, text) => (color ? styleText(format, text, { validateStream: false }) : text);
  const blocks = differences.filter(({ change }) => change !== 'none').map(one => formatBlock(one, paint));
  // All names are listed, since each deserves a look.
  const looks = groupAlarms(alarming(differences)).flatMap(({ difference: { namespace, name }, first, names }) => {
    const why = first.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', ');
    const what = `${typeText(first.type, names.length)} ${names.join(', ')}`;
    return [
      paint('yellow', `  ! ${line(`${namespace}/${name}: ${what}: ${why}`)}`),
      ...alarmAspects(first).map(aspect => `      ${line(aspectText(aspect))}`),
    ];
  });
  const top = looks.length === 0 ? [] : [`${[paint('bold', 'Look at these first'), ...looks].join('\n')}\n`];
  const digests = bundles.map(one => `  ${line(`${one.namespace}/${one.name}: ${bundleText(one)}`)}`);
  const below = digests.length === 0 ? [] : [`${[paint('bold', BUNDLES_TITLE), ...digests].join('\n')}\n`];
  return [...top, ...blocks, ...below, `${summaryText(differences, notCompared)}\n`].join('\n');
};

function formatBlock(difference: ExposureDifference, paint: Paint): string {
  const { changes, complete } = difference;
  return [
    paint('bold', line(formatTitle(difference))),
    ...shortCallers(difference).flatMap(caller => callerTexts(caller).map(text => `  ${line(text)}`)),
    ...groupChanges(changes).flatMap(group => [
      changeLine(group, paint),
      ...group.first.aspects.map(aspect => `      ${paint('dim', line(aspectText(shortAspect(aspect))))}`),
    ]),
    ...(complete ? [] : [`  ${paint('dim', INCOMPLETE_TEXT)}`]),
    '',
  ].join('\n');
}

function changeLine({ first, names }: ChangeGroup, paint: Paint): string {
  const isGrave = scoreAlarms(first) > 0;
  const what = `${changeText(first, names.length)}: ${cutList(names)}`;
  const text = `  ${isGrave ? '!' : SIGNS[first.change]} ${line(what)}`;
  const effect = first.effect === 'same' ? '' : ` (${first.effect})`;
  return isGrave ? paint('yellow', text + effect) : text + effect;
}

/** Joins lines: a policy's condition may span several. */
function line(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' '));
}
