/** The comment on a pull request: the result, and the changes of access. */
import { CODES, type DiagnosticCode, escapeMarkdown, findCodePage } from '#compiler';
import type { CommitReport, UnitResult } from './commit-report.ts';

/** Maximum number of rows in the table of gateways; each gateway has a commit status anyway. */
const MAX_UNITS = 50;
const MAX_FINDINGS = 10;
/** Maximum length of a finding, which may quote long text. */
const MAX_FINDING_CHARACTERS = 500;

/**
 * Ends the difference in the comment. A controller that edits the comment but no longer knows the difference leaves the text up to this mark
 * unchanged.
 */
const END = '<!-- /lintel:difference -->';

function shortenCommit(commit: string): string {
  return `<!-- lintel:difference:${commit} -->`;
}

const WORDS: { readonly [S in UnitResult['state']]: string } = {
  pending: 'pending',
  success: 'active',
  failure: '**failed**',
};

/**
 * The text of the comment on a pull request.
 * @param before the existing comment, if any
 * @param maxCharacters of the whole text
 */
export function formatComment(
  commitReport: CommitReport,
  context: string,
  before: string | undefined,
  maxCharacters: number,
): string {
  const { namespace, name } = commitReport.source;
  const findings = formatFindingList(commitReport);
  // The list of findings has all of them with their locations, so the messages of the source and its gateways are omitted.
  const description = findings === '' ? commitReport.description : '';
  const head = [
    `**${escapeMarkdown(context)}**: ${WORDS[commitReport.state]} at \`${commitReport.commit.slice(0, 12)}\`, of GatewaySource ${escapeMarkdown(`${namespace}/${name}`)}`,
    ...(description === '' ? [] : [escapeMarkdown(cut(description))]),
    formatUnitTable(commitReport.units),
    findings,
  ].filter(part => part !== '');
  const text = `${head.join('\n\n')}\n`;
  const difference = formatDifferenceBlock(commitReport, before, maxCharacters - text.length - 200);
  return difference === undefined ? text : `${text}\n${difference}\n`;
}

const KIND_WORDS: Readonly<Record<UnitResult['kind'], string>> = {
  gateway: '',
  registry: ' (registry server)',
  server: ' (server)',
  'remote-proxy': ' (remote server)',
};

function formatUnitTable(units: readonly UnitResult[]): string {
  if (units.length === 0) return '';
  const sorted = [...units].sort((a, b) => Number(b.state === 'failure') - Number(a.state === 'failure'));
  const rows = sorted.slice(0, MAX_UNITS).map(({ kind, namespace, name, state, description, findings }) => {
    const who = `${namespace}/${name}${KIND_WORDS[kind]}`;
    const details = findings.length === 0 ? description : `${formatCount(findings.length)}, see below`;
    return `| ${escapeMarkdown(who)} | ${WORDS[state]} | ${escapeMarkdown(cut(details))} |`;
  });
  const more = units.length - rows.length;
  const rest = more > 0 ? `\n\n… and ${more} more, each with a commit status of its own.` : '';
  return `| Gateway | Result | Details |\n|---|---|---|\n${rows.join('\n')}${rest}`;
}

function formatFindingList({ units, findings, documentation }: CommitReport): string {
  const all = [...new Set([...findings, ...units.flatMap(unit => unit.findings)])];
  if (all.length === 0) return '';
  const lines = all.slice(0, MAX_FINDINGS).map(finding => `- ${withLinkedCode(cut(finding), documentation)}`);
  const more = all.length - lines.length;
  return `First findings:\n\n${lines.join('\n')}${more > 0 ? `\n- … and ${more} more` : ''}`;
}

/** Links the code at the start of a finding to its page, if there is one. */
function withLinkedCode(finding: string, documentation: string | undefined): string {
  const [code = ''] = /^LNT\d{4}/.exec(finding) ?? [];
  const page = isCode(code) ? findCodePage(code, documentation) : undefined;
  return page === undefined
    ? escapeMarkdown(finding)
    : `[${code}](${page})${escapeMarkdown(finding.slice(code.length))}`;
}

function isCode(text: string): text is DiagnosticCode {
  return Object.hasOwn(CODES, text);
}

/** The current difference of access; otherwise the difference that the existing comment has for the same commit. */
function formatDifferenceBlock(
  commitReport: CommitReport,
  before: string | undefined,
  room: number,
): string | undefined {
  const start = shortenCommit(commitReport.commit);
  if (commitReport.difference !== undefined && room > 500)
    return `${start}\n${commitReport.difference(room).trimEnd()}\n${END}`;
  const [from, to] = [before?.indexOf(start) ?? -1, before?.lastIndexOf(END) ?? -1];
  if (before === undefined || from < 0 || to < from) return undefined;
  const block = before.slice(from, to + END.length);
  return block.length > room + 200 ? undefined : block;
}

function formatCount(findings: number): string {
  return findings === 1 ? '1 finding' : `${findings} findings`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const chars = [...line];
  return chars.length <= MAX_FINDING_CHARACTERS ? line : `${chars.slice(0, MAX_FINDING_CHARACTERS).join('')}…`;
}
