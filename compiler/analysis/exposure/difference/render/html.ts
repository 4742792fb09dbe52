import { htmlDocument } from '../../../../html/document.ts';
import { escapeHtml } from '../../../../html/escape.ts';
import { type HtmlCell, htmlTable } from '../../../../html/table.ts';
import type { ExposureDifference } from '../difference.ts';
import { formatNames, groupCallers } from './grouped.ts';
import type { ComparedBundle, DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  alarmAspects,
  alarming,
  aspectText,
  BUNDLES_TITLE,
  bundleText,
  changeText,
  formatTitle,
  INCOMPLETE_TEXT,
  NOT_COMPARED_TITLE,
  scoreAlarms,
  summaryText,
} from './words.ts';

const cell = (text: string, tone?: HtmlCell['tone']): HtmlCell => ({ text, tone });

/** An HTML page: wider access and everything else that needs a look first, then each gateway and registry server, with a search. */
export const renderDifferenceHtml: DifferenceRenderer = (differences, { notCompared = [], bundles = [] }) => {
  const different = differences.filter(({ change }) => change !== 'none');
  return htmlDocument({
    title: 'What the change opens and closes',
    summary: summaryText(differences, notCompared),
    content: [
      absent(notCompared),
      alarms(different),
      opened(different),
      digests(bundles),
      ...different.map(formatArticle),
    ].join(''),
  });
};

function absent(notCompared: readonly string[]): string {
  const rows = notCompared.map(sentence => [cell(sentence, 'warn')]);
  const head = [{ name: 'there may be differences' }];
  return rows.length === 0 ? '' : htmlTable({ title: NOT_COMPARED_TITLE, id: 'not-compared', level: 2, head, rows });
}

function digests(bundles: readonly ComparedBundle[]): string {
  const rows = bundles.map(one => [cell(`${one.namespace}/${one.name}`), cell(bundleText(one))]);
  const head = [{ name: 'where' }, { name: 'digest' }];
  return rows.length === 0 ? '' : htmlTable({ title: BUNDLES_TITLE, id: 'bundles', level: 2, head, rows });
}

function alarms(differences: readonly ExposureDifference[]): string {
  const rows = alarming(differences).map(({ difference: { namespace, name }, change }) => [
    cell(`${namespace}/${name}`),
    cell(`${change.type} ${formatNames(change)}`),
    cell(
      [change.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', '), ...alarmAspects(change).map(aspectText)].join('; '),
      'warn',
    ),
  ]);
  const head = [{ name: 'where' }, { name: 'what' }, { name: 'why' }];
  return rows.length === 0 ? '' : htmlTable({ title: 'Look at these first', id: 'alarms', level: 2, head, rows });
}

function opened(differences: readonly ExposureDifference[]): string {
  const rows = differences.flatMap(({ namespace, name, callers }) =>
    groupCallers(callers)
      .filter(({ gained }) => gained !== '')
      .map(({ who, gained }) => [cell(`${namespace}/${name}`), cell(who), cell(gained)]),
  );
  const head = [{ name: 'where' }, { name: 'who' }, { name: 'gains' }];
  return rows.length === 0 ? '' : htmlTable({ title: 'What opens', id: 'opens', level: 2, head, rows });
}

function formatArticle(difference: ExposureDifference, at: number): string {
  const { callers, changes, complete } = difference;
  const callerRows = groupCallers(callers).map(({ who, gained, lost }) => [cell(who), cell(gained), cell(lost)]);
  const changeRows = changes.map(change => [
    cell(changeText(change)),
    cell(formatNames(change)),
    cell(change.effect, scoreAlarms(change) > 0 ? 'warn' : undefined),
    cell(change.aspects.map(aspectText).join('; ')),
  ]);
  const tables = [
    {
      title: 'Callers',
      id: `callers-${at}`,
      head: [{ name: 'who' }, { name: 'gains' }, { name: 'loses' }],
      rows: callerRows,
    },
    {
      title: 'Changes',
      id: `changes-${at}`,
      head: [{ name: 'change' }, { name: 'name' }, { name: 'access' }, { name: 'details' }],
      rows: changeRows,
    },
  ].filter(({ rows }) => rows.length > 0);
  return `<article aria-labelledby="page-${at}">
<h2 id="page-${at}">${escapeHtml(formatTitle(difference))}</h2>
${tables.map(htmlTable).join('')}${complete ? '' : `<p class="note">${escapeHtml(INCOMPLETE_TEXT)}</p>\n`}</article>
`;
}
