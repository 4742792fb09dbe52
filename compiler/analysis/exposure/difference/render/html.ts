import { renderHtmlDocument } from '../../../../html/document.ts';
import { escapeHtml } from '../../../../html/escape.ts';
import { type HtmlCell, renderHtmlTable } from '../../../../html/table.ts';
import type { ExposureDifference } from '../difference.ts';
import { mayOpen } from '../effect.ts';
import { formatNames, groupCallers } from './group-changes.ts';
import type { ComparedBundle, DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  BUNDLES_TITLE,
  changeText,
  findAlarming,
  formatAspect,
  formatBundle,
  formatSummary,
  formatTitle,
  INCOMPLETE_TEXT,
  listAlarmAspects,
  NOT_COMPARED_TITLE,
  scoreAlarms,
} from './words.ts';

const toCell = (text: string, tone?: HtmlCell['tone']): HtmlCell => ({ text, tone });

/** An HTML page: wider access and everything else that needs a look first, then each gateway and registry server, with a search. */
export const renderDifferenceHtml: DifferenceRenderer = (differences, { notCompared = [], bundles = [] }) => {
  const different = differences.filter(({ change }) => change !== 'none');
  return renderHtmlDocument({
    title: 'What the change opens and closes',
    summary: formatSummary(differences, notCompared),
    content: [
      renderNotCompared(notCompared),
      renderAlarms(different),
      renderOpened(different),
      renderDigests(bundles),
      ...different.map(formatArticle),
    ].join(''),
  });
};

function renderNotCompared(notCompared: readonly string[]): string {
  const rows = notCompared.map(sentence => [toCell(sentence, 'warn')]);
  const head = [{ name: 'there may be differences' }];
  return rows.length === 0
    ? ''
    : renderHtmlTable({ title: NOT_COMPARED_TITLE, id: 'not-compared', level: 2, head, rows });
}

function renderDigests(bundles: readonly ComparedBundle[]): string {
  const rows = bundles.map(bundle => [toCell(`${bundle.namespace}/${bundle.name}`), toCell(formatBundle(bundle))]);
  const head = [{ name: 'where' }, { name: 'digest' }];
  return rows.length === 0 ? '' : renderHtmlTable({ title: BUNDLES_TITLE, id: 'bundles', level: 2, head, rows });
}

function renderAlarms(differences: readonly ExposureDifference[]): string {
  const rows = findAlarming(differences).map(({ difference: { namespace, name }, change }) => [
    toCell(`${namespace}/${name}`),
    toCell(`${change.type} ${formatNames(change)}`),
    toCell(
      [change.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', '), ...listAlarmAspects(change).map(formatAspect)].join(
        '; ',
      ),
      'warn',
    ),
  ]);
  const head = [{ name: 'where' }, { name: 'what' }, { name: 'why' }];
  return rows.length === 0 ? '' : renderHtmlTable({ title: 'Look at these first', id: 'alarms', level: 2, head, rows });
}

function renderOpened(differences: readonly ExposureDifference[]): string {
  const rows = differences.flatMap(({ namespace, name, callers }) =>
    groupCallers(callers)
      .filter(({ gained }) => gained !== '')
      .map(({ who, gained }) => [toCell(`${namespace}/${name}`), toCell(who), toCell(gained, 'warn')]),
  );
  const head = [{ name: 'where' }, { name: 'who' }, { name: 'gains' }];
  return rows.length === 0 ? '' : renderHtmlTable({ title: 'What opens', id: 'opens', level: 2, head, rows });
}

function formatArticle(difference: ExposureDifference, at: number): string {
  const { callers, changes, complete } = difference;
  const callerRows = groupCallers(callers).map(({ who, gained, lost }) => [
    toCell(who),
    toCell(gained, 'warn'),
    toCell(lost),
  ]);
  const changeRows = changes.map(change => [
    toCell(changeText(change)),
    toCell(formatNames(change)),
    toCell(change.effect, mayOpen(change.effect) || scoreAlarms(change) > 0 ? 'warn' : undefined),
    toCell(change.aspects.map(formatAspect).join('; ')),
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
${tables.map(renderHtmlTable).join('')}${complete ? '' : `<p class="note">${escapeHtml(INCOMPLETE_TEXT)}</p>\n`}</article>
`;
}
