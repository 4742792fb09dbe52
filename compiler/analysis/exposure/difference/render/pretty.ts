import { styleText } from 'node:util';
import { escapeUnprintable } from '../../../../diagnostics/render/printable.ts';
import type { ExposureDifference, ItemChange } from '../difference.ts';
import { type ChangeGroup, groupAlarms, groupChanges, shortenAspect, shortenCallers } from './group-changes.ts';
import type { DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  BUNDLES_TITLE,
  changeText,
  cutList,
  findAlarming,
  formatAspect,
  formatBundle,
  formatCallerGroup,
  formatSummary,
  formatTitle,
  formatType,
  INCOMPLETE_TEXT,
  listAlarmAspects,
  scoreAlarms,
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
  const blocks = differences
    .filter(({ change }) => change !== 'none')
    .map(difference => formatBlock(difference, paint));
  // All names are listed, since each deserves a look.
  const looks = groupAlarms(findAlarming(differences)).flatMap(({ difference: { namespace, name }, first, names }) => {
    const why = first.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', ');
    const what = `${formatType(first.type, names.length)} ${names.join(', ')}`;
    return [
      paint('yellow', `  ! ${formatLine(`${namespace}/${name}: ${what}: ${why}`)}`),
      ...listAlarmAspects(first).map(aspect => `      ${formatLine(formatAspect(aspect))}`),
    ];
  });
  const top = looks.length === 0 ? [] : [`${[paint('bold', 'Look at these first'), ...looks].join('\n')}\n`];
  const digests = bundles.map(
    bundle => `  ${formatLine(`${bundle.namespace}/${bundle.name}: ${formatBundle(bundle)}`)}`,
  );
  const below = digests.length === 0 ? [] : [`${[paint('bold', BUNDLES_TITLE), ...digests].join('\n')}\n`];
  return [...top, ...blocks, ...below, `${formatSummary(differences, notCompared)}\n`].join('\n');
};

function formatBlock(difference: ExposureDifference, paint: Paint): string {
  const { changes, complete } = difference;
  return [
    paint('bold', formatLine(formatTitle(difference))),
    ...shortenCallers(difference).flatMap(caller => formatCallerGroup(caller).map(text => `  ${formatLine(text)}`)),
    ...groupChanges(changes).flatMap(group => [
      changeLine(group, paint),
      ...group.first.aspects.map(aspect => `      ${paint('dim', formatLine(formatAspect(shortenAspect(aspect))))}`),
    ]),
    ...(complete ? [] : [`  ${paint('dim', INCOMPLETE_TEXT)}`]),
    '',
  ].join('\n');
}

function changeLine({ first, names }: ChangeGroup, paint: Paint): string {
  const isGrave = scoreAlarms(first) > 0;
  const what = `${changeText(first, names.length)}: ${cutList(names)}`;
  const text = `  ${isGrave ? '!' : SIGNS[first.change]} ${formatLine(what)}`;
  const effect = first.effect === 'same' ? '' : ` (${first.effect})`;
  return isGrave ? paint('yellow', text + effect) : text + effect;
}

/** Joins lines: a policy's condition may span several. */
function formatLine(text: string): string {
  return escapeUnprintable(text.replace(/\s*\n\s*/g, ' '));
}
