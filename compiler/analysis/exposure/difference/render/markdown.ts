import { escapeMarkdown } from '../../../../diagnostics/render/markdown.ts';
import { cutPair } from '../cut-pair.ts';
import type { Aspect, ExposureDifference, ItemChange } from '../difference.ts';
import { groupAlarms, groupChanges, shortCallers } from './grouped.ts';
import type { DifferenceRenderer } from './rendering.ts';
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
  MOST_NAMES,
  NOT_COMPARED_TITLE,
  summaryText,
  typeText,
} from './words.ts';

/** GitHub refuses comments above 65,536 characters; the limit leaves room for surrounding text. */
const MAX_CHARACTERS = 60_000;
/** Longer cells are cut: a policy can be too long for a table. What an alarm is about is never cut. */
const MAX_CELL_CHARACTERS = 400;
/** Names in one row of the alarms: a row that does not fit would be dropped entirely. More names get a row more. */
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
  page.add(`**${capitalized(escapeMarkdown(summaryText(differences, notCompared)))}**\n`);
  page.table(
    `\n#### ${NOT_COMPARED_TITLE}\n`,
    ['There may be differences'],
    notCompared.map(sentence => [cut(sentence)]),
  );
  const looks = groupAlarms(alarming(differences)).flatMap(({ difference: { namespace, name }, first, names }) =>
    chunks(names, MOST_LOOKS).map(some => [
      escapeMarkdown(`${namespace}/${name}`),
      `${typeText(first.type, some.length)} ${some.map(one => `**${whole(one)}**`).join(', ')}`,
      [
        escapeMarkdown(first.alarms.map(alarm => ALARM_TEXTS[alarm]).join(', ')),
        ...alarmAspects(first).map(aspect => aspectCell(aspect, true)),
      ].join('<br>'),
    ]),
  );
  page.table('\n#### Look at these first\n', ['Where', 'What', 'Why'], looks);
  page.countLooks(looks.length);
  page.table(
    `\n#### ${BUNDLES_TITLE}\n`,
    ['Where', 'Digest'],
    bundles.map(one => [escapeMarkdown(`${one.namespace}/${one.name}`), escapeMarkdown(bundleText(one))]),
  );
  for (const difference of differences.filter(({ change }) => change !== 'none')) section(page, difference);
  return page.text();
};

function section(page: Page, difference: ExposureDifference): void {
  const { changes, complete } = difference;
  const title = `\n#### ${escapeMarkdown(formatTitle(difference))}\n`;
  const callerRows = shortCallers(difference).flatMap(({ who, gained, lost }) => [
    ...(gained === '' ? [] : [[cut(who), cut(gained), '']]),
    ...(lost === '' ? [] : [[cut(who), '', cut(lost)]]),
  ]);
  page.table(title, ['Who', 'Gains', 'Loses'], callerRows);
  page.table(
    callerRows.length === 0 ? title : '',
    ['Change', 'Name', 'Access', 'Details'],
    groupChanges(changes).map(({ first, names }) => [
      changeText(first, names.length),
      names.length === 1 ? nameCell(first) : namesCell(names.slice(0, MOST_NAMES), names.length - MOST_NAMES),
      first.effect,
      first.aspects.map(aspect => aspectCell(aspect)).join('<br>'),
    ]),
  );
  if (!complete) page.add(`\n${INCOMPLETE_TEXT}\n`);
}

function namesCell(names: readonly string[], more = 0): string {
  return `${names.map(name => `**${cut(name)}**`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nameCell({ name, formerName }: ItemChange): string {
  const now = `**${cut(name)}**`;
  return formerName === undefined ? now : `${cut(formerName)} → ${now}`;
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return items.flatMap((_, at) => (at % size === 0 ? [items.slice(at, at + size)] : []));
}

/** @param isWhole keeps what differs, however long it is */
function aspectCell(aspect: Aspect, isWhole = false): string {
  const [before, after] = cutPair(aspect.before, aspect.after, MAX_CELL_CHARACTERS / 2, isWhole);
  const text = aspectText({ ...aspect, before, after });
  return isWhole || aspect.items === undefined ? whole(text) : cut(text);
}

function whole(text: string): string {
  return escapeMarkdown(text.replace(/\s*\n\s*/g, ' '));
}

function cut(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  const chars = [...line];
  if (chars.length <= MAX_CELL_CHARACTERS) return escapeMarkdown(line);
  return `${escapeMarkdown(chars.slice(0, MAX_CELL_CHARACTERS).join(''))} …`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Collects text up to a limit and counts the rows that did not fit. */
class Page {
  readonly #room: number;
  readonly #parts: string[] = [];
  #length = 0;
  #left = 0;
  /** Of these, the rows of alarms. */
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

  /** Nothing for an empty table, and no header without a row. */
  table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
    const lines = rows.map(row => `| ${row.join(' | ')} |\n`);
    const [first, ...others] = lines;
    if (first === undefined) return;
    const top = `${title}\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n`;
    // After the first row that does not fit, no further row is added: the output is a prefix without gaps.
    if (this.#left > 0 || !this.add(top + first)) {
      this.#left += lines.length;
      return;
    }
    for (const line of others) if (this.#left > 0 || !this.add(line)) this.#left += 1;
  }

  /** @param rows of alarms, which were added last */
  countLooks(rows: number): void {
    this.#leftLooks = Math.min(this.#left, rows);
  }

  text(): string {
    const looks = this.#leftLooks === 0 ? '' : `, **${this.#leftLooks} of them to look at first**: see \`lintel diff\``;
    const rest =
      this.#left === 0
        ? ''
        : `\n… and ${this.#left} more ${this.#left === 1 ? 'row' : 'rows'} that did not fit here${looks}.\n`;
    return this.#parts.join('') + rest;
  }
}
