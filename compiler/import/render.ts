/** The result of an import, for people and for programs. */

import { wrapLines } from '#shared/util';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { getOwnCommand } from '../own-command.ts';
import { mayNameSecret } from '../source/secret-name.ts';
import { isOnThisMachine } from '../starter/on-this-machine.ts';
import { isProgram } from '../starter/starter-server.ts';
import type { CarriedServer, ImportPlan, NotCarried } from './plan.ts';

export const IMPORT_FORMATS = ['text', 'json'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ImportReport extends ImportPlan {
  readonly files: readonly { readonly file: string; readonly form: string }[];
  /** The name of the new gateway; undefined when the servers join an existing group. */
  readonly gateway: string | undefined;
  /** The paths of the written files, as messages show them; empty when nothing was written. */
  readonly written: readonly string[];
}

export const IMPORT_RENDERERS: Readonly<
  Record<ImportFormat, (report: ImportReport, columns?: number | undefined) => string>
> = {
  text: renderText,
  json: renderJson,
};

/** @param columns width of the terminal; undefined for unlimited lines */
function renderText(report: ImportReport, columns?: number): string {
  const { written: writtenFiles } = report;
  return `${renderPlan(report, columns)}${formatPlainAdvice(report)}${writtenFiles.length === 0 ? '' : `\n${writtenFiles.map(file => `wrote ${escapeUnprintable(file)}\n`).join('')}`}`;
}

/** Advice about a value that was taken for a secret although its name does not say so. Empty when every name says so. */
function formatPlainAdvice({ carried }: ImportReport): string {
  const guessed = carried
    .flatMap(({ variables }) => variables)
    .find(({ part, mayBePlain }) => mayBePlain && !mayNameSecret(`--${part.name}`));
  if (guessed === undefined) return '';
  const name = escapeUnprintable(guessed.part.name);
  return `\nIf ${name} is no secret, --plain ${name} writes its value into the specs.\n`;
}

/** A row of short cells, with a note that may be long. */
interface Row {
  readonly cells: readonly string[];
  readonly texts: readonly string[];
}

/**
 * The plan as tables.
 * @param columns width of the terminal; undefined for unlimited lines
 */
export function renderPlan(
  { files, carried, objects, notCarried, off }: ImportPlan & Pick<ImportReport, 'files'>,
  columns?: number,
): string {
  const secrets = [...carried.flatMap(({ variables }) => variables), ...objects.flatMap(object => object.secrets)];
  // Each document of a file may come from another program.
  const titles = new Set(files.map(({ file, form }) => `${file}: ${form}`));
  const isOneFile = new Set(files.map(({ file }) => file)).size === 1;
  const toPlaceCells = ({ file, place: location }: { readonly file: string; readonly place: string }) =>
    isOneFile ? [location] : [file, location];
  const reasons = (remaining: readonly NotCarried[]) =>
    remaining.map(setting => ({ cells: toPlaceCells(setting), texts: [setting.reason] }));
  const carriedRows = [
    ...carried.map(toRow),
    ...objects.map(({ place: location, file }) => ({ cells: [location], texts: isOneFile ? [] : [file] })),
  ];
  const changes = objects.flatMap(object =>
    object.changes.map(change => ({ cells: toPlaceCells(object), texts: [change] })),
  );
  const section = (title: string, rows: readonly Row[]) =>
    rows.length === 0 ? [] : [`${title}:`, ...formatTable(rows, columns).map(line => `  ${line}`)];
  const sections = [
    [...titles],
    section('Carried over', carriedRows),
    section('Changed', changes),
    section('Not carried over', reasons(notCarried)),
    section('Left out, because a gateway does not need it', reasons(off)),
    section(
      'Secrets, which are in none of the written files',
      secrets.map(({ name, recipe }) => ({ cells: [name], texts: [recipe] })),
    ),
    section('Servers that get no credential, and may ask people to sign in', signInRows(carried)),
  ];
  return `${sections
    .filter(lines => lines.length > 0)
    .map(lines => lines.map(escapeUnprintable).join('\n'))
    .join('\n\n')}\n${signInAdvice(carried, columns)}`;
}

function toRow({ place: location, server, isTransportGuessed, ofClient }: CarriedServer): Row {
  const guess = isTransportGuessed ? ' (guessed)' : '';
  const remaining = ofClient.length === 0 ? [] : [`settings of the client only: ${ofClient.join(', ')}`];
  const inherited = isProgram(server) ? (server.inherited ?? []) : [];
  const shell = inherited.length === 0 ? [] : [`from your shell: ${inherited.join(', ')}`];
  return isProgram(server)
    ? {
        cells: [location, server.name, 'stdio'],
        texts: [[server.command, ...server.args].join(' '), ...shell, ...remaining],
      }
    : { cells: [location, server.name, `${server.transport}${guess}`], texts: [server.url, ...remaining] };
}

/** A client signs people in whenever a server requires it, without any setting in its file. */
function signInRows(carried: ImportPlan['carried']): readonly Row[] {
  return carried.flatMap(({ place: location, server, mayAskForSignIn }) =>
    mayAskForSignIn && !isProgram(server)
      ? [{ cells: [location], texts: [`${getOwnCommand()} doctor auth ${formatForShell(server.url)}`] }]
      : [],
  );
}

function signInAdvice(carried: ImportPlan['carried'], columns: number | undefined): string {
  if (signInRows(carried).length === 0) return '';
  const text =
    'These commands say whether a server asks. Clients sign people in by themselves, and a gateway does not: docs/import.md says what to write then.';
  return `\n${columns === undefined ? text : wrapLines(text, columns).join('\n')}\n`;
}

function formatForShell(text: string): string {
  return /^[\w:/.@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", '%27')}'`;
}

/** Indentation of a table, and of texts below their cells. */
const INDENT = 2;

/** The text of a row follows its cells, or is on the next line when the line would exceed the terminal's width. */
function formatTable(rows: readonly Row[], columns: number | undefined): readonly string[] {
  const wide = alignRows(rows.map(({ cells, texts }) => [...cells, ...texts]));
  if (columns === undefined || wide.every(line => INDENT + line.length <= columns)) return wide;
  const starts = alignRows(rows.map(({ cells }) => cells));
  return rows.flatMap(({ texts }, at) => [
    starts[at] ?? '',
    ...texts.flatMap(text => wrapLines(text, columns - 2 * INDENT).map(line => ' '.repeat(INDENT) + line)),
  ]);
}

function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (all, cells) => cells.map((cell, at) => Math.max(cell.length, all[at] ?? 0)),
    [],
  );
  return rows.map(cells =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function renderJson({
  files,
  gateway,
  group,
  carried,
  objects,
  notCarried,
  off,
  written: writtenFiles,
}: ImportReport): string {
  return formatJson({
    formatVersion: 1,
    ...(gateway === undefined ? { group } : { gateway }),
    files,
    servers: carried.map(
      ({ file, place: location, server, variables, isTransportGuessed, ofClient, mayAskForSignIn }) => ({
        file,
        place: location,
        name: server.name,
        ...(isProgram(server)
          ? {
              kind: 'MCPServer',
              command: server.command,
              args: server.args,
              transport: 'stdio',
              ...(server.inherited !== undefined && { inheritEnv: server.inherited }),
            }
          : {
              kind: isOnThisMachine(server) ? 'backend' : 'MCPServerEntry',
              url: server.url,
              transport: server.transport,
              isTransportGuessed,
              mayAskForSignIn,
            }),
        secrets: variables.map(({ name, part, recipe, secret }) => ({
          variable: name,
          [part.kind === 'header' ? 'header' : 'target']: part.name,
          recipe,
          secretRef: secret ?? null,
        })),
        ofClient,
      }),
    ),
    objects: objects.map(({ file, place: location, changes, secrets }) => ({
      file,
      place: location,
      changes,
      secrets: secrets.map(({ name, recipe }) => ({ name, recipe })),
    })),
    notCarried,
    off,
    written: writtenFiles,
  });
}
