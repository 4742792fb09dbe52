import { escapeMarkdown } from '../../../../diagnostics/render/markdown.ts';
import { cutPair } from '../cut-pair.ts';
import type { Aspect, ExposureDifference, ItemChange } from '../difference.ts';
import { groupAlarms, groupChanges, shortenCallers } from './group-changes.ts';
import type { DifferenceRenderer } from './rendering.ts';
import {
  ALARM_TEXTS,
  BUNDLES_TITLE,
  changeText,
  findAlarming,
  formatAspect,
  formatBundle,
  formatSummary,
  formatTitle,
  formatType,
  INCOMPLETE_TEXT,
  listAlarmAspects,
  MOST_NAMES,
  NOT_COMPARED_TITLE,
} from './words.ts';

/** GitHub refuses comments above 65,536 characters; the limit leaves room for surrounding text. */
const MAX_CHARACTERS = 60_000;
/** Maximum length of a cell. A longer one is cut, because a policy can be too long for a table. The cell that an alarm is about is never cut. */
const MAX_CELL_CHARACTERS = 400;
/** Maximum number of names in one row of the alarms. A row that does not fit would be dropped entirely, so further names get another row. */
const MOST_LOOKS = 40;
/** Reserved for the sentence that counts the omitted rows. */
const ROOM_FOR_REST = 200;

/**
 * For a pull request: a summary, what needs a look, then, for each gateway or server that differs, a table of callers and a table of changes.
 * Text from specs and backends is escaped: it opens no tag, link or mention on GitHub, GitLab and Gitea. Rows that do not fit are counted.
 */
export const renderDifferenceMarkdown: DifferenceRenderer = (
  differences,
  { maxCharacters = MAX_CHARACTERS, notCompared = [], bundles = [] },
) => {
  const page = new Page(maxCharacters - ROOM_FOR_REST);
  page.add(`**${capitalize(escapeMarkdown(formatSummary(differences, notCompared)))}**\n`);
  page.table(
    `\n#### ${NOT_COMPARED_TITLE}\n`,
    ['There may be differences'],
    notCompared.map(sentence => [cut(sentence)]),
  );
  const looks = groupAlarms(findAlarming(differences)).flatMap(({ difference: { namespace, name }, first, names }) =>
    splitIntoChunks(names, MOST_LOOKS).map(some => [
      escapeMarkdown(`${namespace}/${name}`),
      `${formatType(first.type, some.length)} ${some.map(value => `**${formatWhole(value)}**`).join(', ')}`,
      [
        escapeMarkdown(first.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', ')),
        ...listAlarmAspects(first).map(aspect => formatAspectCell(aspect, true)),
      ].join('<br>'),
    ]),
  );
  page.table('\n#### Look at these first\n', ['Where', 'What', 'Why'], looks);
  page.countLooks(looks.length);
  page.table(
    `\n#### ${BUNDLES_TITLE}\n`,
    ['Where', 'Digest'],
    bundles.map(bundle => [escapeMarkdown(`${bundle.namespace}/${bundle.name}`), escapeMarkdown(formatBundle(bundle))]),
  );
  for (const difference of differences.filter(({ change }) => change !== 'none')) renderDifference(page, difference);
  return page.text();
};

function renderDifference(page: Page, difference: ExposureDifference): void {
  const { changes, complete } = difference;
  const title = `\n#### ${escapeMarkdown(formatTitle(difference))}\n`;
  const callerRows = shortenCallers(difference).flatMap(({ who, gained, lost }) => [
    ...(gained === '' ? [] : [[cut(who), cutItems(gained), '']]),
    ...(lost === '' ? [] : [[cut(who), '', cutItems(lost)]]),
  ]);
  page.table(title, ['Who', 'Gains', 'Loses'], callerRows);
  page.table(
    callerRows.length === 0 ? title : '',
    ['Change', 'Name', 'Access', 'Details'],
    groupChanges(changes).map(({ first, names }) => [
      changeText(first, names.length),
      names.length === 1
        ? formatNameCell(first)
        : formatNamesCell(names.slice(0, MOST_NAMES), names.length - MOST_NAMES),
      first.effect,
      first.aspects.map(aspect => formatAspectCell(aspect)).join('<br>'),
    ]),
  );
  if (!complete) page.add(`\n${INCOMPLETE_TEXT}\n`);
}

function formatNamesCell(names: readonly string[], more = 0): string {
  return `${names.map(name => `**${cut(name)}**`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function formatNameCell({ name, formerName }: ItemChange): string {
  const now = `**${cut(name)}**`;
  return formerName === undefined ? now : `${cut(formerName)} → ${now}`;
}

function splitIntoChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return items.flatMap((_, at) => (at % size === 0 ? [items.slice(at, at + size)] : []));
}

/** @param isWhole keeps the part that differs, however long it is */
function formatAspectCell(aspect: Aspect, isWhole = false): string {
  const [before, after] = cutPair(aspect.before, aspect.after, MAX_CELL_CHARACTERS / 2, isWhole);
  const text = formatAspect({ ...aspect, before, after });
  return isWhole || aspect.items === undefined ? formatWhole(text) : cutItems(text);
}

function formatWhole(text: string): string {
  return escapeMarkdown(text.replace(/\s*\n\s*/g, ' '));
}

function cut(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  const chars = [...line];
  if (chars.length <= MAX_CELL_CHARACTERS) return escapeMarkdown(line);
  return `${escapeMarkdown(chars.slice(0, MAX_CELL_CHARACTERS).join(''))} …`;
}

/** A cut list ends between two items and says how many are left out. */
function cutItems(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  const end = line.lastIndexOf(SEPARATOR, MAX_CELL_CHARACTERS);
  if ([...line].length <= MAX_CELL_CHARACTERS || end === -1) return cut(text);
  const rest = line.slice(end);
  // The list may itself count names.
  const remaining = rest.split(SEPARATOR).length - 1 + Number(/ and (\d+) more$/.exec(rest)?.[1] ?? 0);
  return `${escapeMarkdown(line.slice(0, end))} and ${remaining} more`;
}

const SEPARATOR = ', ';

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Collects text up to a limit and counts the rows that did not fit. */
class Page {
  readonly #room: number;
  readonly #parts: string[] = [];
  #length = 0;
  #omitted = 0;
  /** How many of the omitted rows are rows of alarms. */
  #leftLooks = 0;

  constructor(room: number) {
    this.#room = room;
  }

  add(text: string): boolean {
    if (this.#length + text.length > this.#room) return false;
    this.#parts.push(text);
    this.#length += text.length;
    return true;
  }

  /** Adds a table: nothing if it is empty, and no header without rows. */
  table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
    const lines = rows.map(row => `| ${row.join(' | ')} |\n`);
    const [first, ...others] = lines;
    if (first === undefined) return;
    const top = `${title}\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n`;
    // After the first row that does not fit, no further row is added: the output is a prefix without gaps.
    if (this.#omitted > 0 || !this.add(top + first)) {
      this.#omitted += lines.length;
      return;
    }
    for (const line of others) if (this.#omitted > 0 || !this.add(line)) this.#omitted += 1;
  }

  /** @param rows alarm rows, which were added last */
  countLooks(rows: number): void {
    this.#leftLooks = Math.min(this.#omitted, rows);
  }

  text(): string {
    const looks = this.#leftLooks === 0 ? '' : `, **${this.#leftLooks} of them to look at first**: see \`lintel diff\``;
    const rest =
      this.#omitted === 0
        ? ''
        : `\n… and ${this.#omitted} more ${this.#omitted === 1 ? 'row' : 'rows'} that did not fit here${looks}.\n`;
    return this.#parts.join('') + rest;
  }
}
