/** What an import came to, for people and for programs. */
import { jsonText } from '../diagnostics/render/json-text.ts';
import { printable } from '../diagnostics/render/printable.ts';
import { isSecretHeader } from '../source/secret-name.ts';
import { isOnThisMachine } from '../starter/on-this-machine.ts';
import { isProgram } from '../starter/starter-server.ts';
import type { CarriedServer, ImportPlan, NotCarried } from './plan.ts';

export const IMPORT_FORMATS = ['text', 'json'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ImportReport extends ImportPlan {
  readonly files: readonly { readonly file: string; readonly form: string }[];
  /** Of the gateway. */
  readonly gateway: string;
  /** As shown; none where nothing was written. */
  readonly written: readonly string[];
}

export const IMPORT_RENDERERS: Readonly<Record<ImportFormat, (report: ImportReport) => string>> = {
  text: renderText,
  json: renderJson,
};

function renderText(report: ImportReport): string {
  const { written } = report;
  return `${renderPlan(report)}${plainAdvice(report)}${written.length === 0 ? '' : `\n${written.map(file => `wrote ${printable(file)}\n`).join('')}`}`;
}

/** Which value is a secret is guessed, on the safe side. Empty where every name says that it is one. */
function plainAdvice({ carried }: ImportReport): string {
  const guessed = carried
    .flatMap(({ variables }) => variables)
    .find(
      ({ part, isWrittenOut, isArgument }) =>
        isWrittenOut && !isArgument && !isSecretHeader(part.name.replaceAll('_', '-')),
    );
  if (guessed === undefined) return '';
  const name = printable(guessed.part.name);
  return `\nIf ${name} is no secret, --plain ${name} writes its value into the specs.\n`;
}

/** What becomes of what was found, in tables. */
export function renderPlan({
  files,
  carried,
  objects,
  notCarried,
  off,
}: ImportPlan & Pick<ImportReport, 'files'>): string {
  const secrets = [...carried.flatMap(({ variables }) => variables), ...objects.flatMap(object => object.secrets)];
  const changes = objects.flatMap(({ file, place, changes }) => changes.map(change => [file, place, change]));
  // Each document of a file is of a form.
  const titles = new Set(files.map(({ file, form }) => `${file}: ${form}`));
  const sections = [
    [...titles],
    section('Carried over', table([...carried.map(carriedRow), ...objects.map(({ place, file }) => [place, file])])),
    section('Changed', table(changes)),
    section('Not carried over', table(notCarried.map(row))),
    section('Left out, which loses nothing', table(off.map(row))),
    section('Secrets, which no file that was written holds', table(secrets.map(({ name, recipe }) => [name, recipe]))),
  ];
  return `${sections
    .filter(lines => lines.length > 0)
    .map(lines => lines.map(printable).join('\n'))
    .join('\n\n')}\n`;
}

function carriedRow({ place, server, isTransportGuessed, ofClient }: CarriedServer): readonly string[] {
  const guess = isTransportGuessed ? ' (not said there)' : '';
  const left = ofClient.length === 0 ? '' : `of the client alone: ${ofClient.join(', ')}`;
  return isProgram(server)
    ? [place, server.name, 'stdio', [server.command, ...server.args].join(' '), left]
    : [place, server.name, `${server.transport}${guess}`, server.url, left];
}

function row({ file, place, reason }: NotCarried): readonly string[] {
  return [file, place, reason];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map(line => `  ${line}`)];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
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

function renderJson({ files, gateway, carried, objects, notCarried, off, written }: ImportReport): string {
  return jsonText({
    formatVersion: 1,
    gateway,
    files,
    servers: carried.map(({ file, place, server, variables, isTransportGuessed, ofClient }) => ({
      file,
      place,
      name: server.name,
      ...(isProgram(server)
        ? { kind: 'MCPServer', command: server.command, args: server.args, transport: 'stdio' }
        : {
            kind: isOnThisMachine(server) ? 'backend' : 'MCPServerEntry',
            url: server.url,
            transport: server.transport,
            isTransportGuessed,
          }),
      secrets: variables.map(({ name, part, recipe, secret }) => ({
        variable: name,
        [part.kind === 'header' ? 'header' : 'target']: part.name,
        recipe,
        secretRef: secret ?? null,
      })),
      ofClient,
    })),
    objects: objects.map(({ file, place, changes, secrets }) => ({
      file,
      place,
      changes,
      secrets: secrets.map(({ name, recipe }) => ({ name, recipe })),
    })),
    notCarried,
    off,
    written,
  });
}
