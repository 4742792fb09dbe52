/** The changelog's section about a version. */

export interface ReleaseNotes {
  /** The date in the heading; undefined while the heading says that the version is not released. */
  readonly date: string | undefined;
  /** Markdown without the heading. A link to a file of the repository becomes plain text: release notes are read elsewhere. */
  readonly text: string;
}

/** @returns undefined when the changelog has no section for the version */
export function readReleaseNotes(changelog: string, version: string): ReleaseNotes | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(value => /^[^\s,]+/.exec(value)?.[0] === version);
  if (section === undefined) return undefined;
  const [heading = '', ...lines] = section.split('\n');
  const [, date] = /, (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
  const text = lines.join('\n').replace(/\[([^\]]*)\]\((?![a-z]+:)[^)]*\)/g, '$1');
  return { date, text: `${text.trim()}\n` };
}
