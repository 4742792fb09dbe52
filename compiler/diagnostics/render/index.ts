/** The formats by name. Each renders a whole document, and none affects the exit code. */
import { renderCompact } from './compact.ts';
import { renderGithub } from './github.ts';
import { renderGitlab } from './gitlab.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPretty } from './pretty.ts';
import type { Renderer } from './rendering.ts';
import { renderSarif } from './sarif.ts';
import { formatClosing } from './summary.ts';
import { testResultsText } from './test-results.ts';

/** In the order in which the help lists them. */
export const RENDERERS = {
  pretty: ({ findings, checked, getLine, color, width, links, findPage, isGrouped = false, all = false, tests }) => {
    const linked = links && { ...links, codeUri: findPage };
    const layout = { color, all, links: linked, isGrouped, ...(width === undefined ? {} : { width }) };
    const text = renderPretty(findings, getLine, layout);
    const closing = tests === undefined ? formatClosing(findings, checked, all) : testResultsText(tests);
    return `${text}${text === '' ? '' : '\n'}${closing}`;
  },
  compact: renderCompact,
  json: ({ findings, checked, tool, tests }) => renderJson(findings, checked, tool, tests),
  sarif: renderSarif,
  github: renderGithub,
  gitlab: renderGitlab,
  junit: renderJunit,
  markdown: renderMarkdown,
} as const satisfies { readonly [format: string]: Renderer };

export type Format = keyof typeof RENDERERS;

/** The names that `--format` takes. */
export const FORMATS: readonly Format[] = Object.keys(RENDERERS) as Format[];
