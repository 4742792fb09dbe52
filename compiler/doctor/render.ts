/** The formats of `lintel doctor auth` by name, in the order in which the help lists them. */
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { type AuthReport, HOPS, type Hop } from './report.ts';

export const DOCTOR_RENDERERS = {
  text: renderText,
  json: report => formatJson(report),
} as const satisfies { readonly [format: string]: (report: AuthReport) => string };

export type DoctorFormat = keyof typeof DOCTOR_RENDERERS;

export const DOCTOR_FORMATS: readonly DoctorFormat[] = Object.keys(DOCTOR_RENDERERS) as DoctorFormat[];

const NAME_WIDTH = Math.max(...HOPS.map(({ length }) => length));

function renderText(report: AuthReport): string {
  if (requiresNoToken(report)) return `${escapeUnprintable(report.url)}\n\n${NO_TOKEN_REQUIRED}\n`;
  return `${[escapeUnprintable(report.url), ...report.hops.flatMap(formatHop), '', formatVerdict(report)].join('\n')}\n`;
}

const NO_TOKEN_REQUIRED = `It asks nobody to sign in: it answers a request without a token, and has no metadata that says where tokens come from.
If callers are to sign in, demand a token (incomingAuth of a gateway); else there is nothing to do.`;

/** Whether the server requires no token at all. The report then says so, and does not call the missing metadata a broken sign-in. */
export function requiresNoToken({ hops }: AuthReport): boolean {
  const ids = hops.flatMap(({ problems }) => problems.map(({ id }) => id));
  return ['open', 'resource-metadata-missing', 'issuer-metadata-missing'].every(id => ids.includes(id));
}

function formatHop({ hop, outcome, seen, problems }: Hop): readonly string[] {
  return [
    `  ${outcome.padEnd('skipped'.length)}  ${hop.padEnd(NAME_WIDTH)}  ${escapeUnprintable(seen)}`,
    ...problems.flatMap(({ what, advice, reference, isBreaking }) => [
      `           ${isBreaking ? '✗' : '!'} ${escapeUnprintable(what)} (${reference})`,
      `             fix: ${escapeUnprintable(advice)}`,
    ]),
  ];
}

function formatVerdict({ works, firstBroken, hops }: AuthReport): string {
  if (!works) return `Sign-in breaks at: ${firstBroken}`;
  const warned = hops.filter(({ outcome }) => outcome === 'warning').map(({ hop }) => hop);
  return `A client gets through to the page where a person signs in${warned.length === 0 ? '' : `; look at: ${warned.join(', ')}`}`;
}
