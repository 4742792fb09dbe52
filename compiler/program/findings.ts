/** Converts the errors of a program to findings with positions. */
import { dirname, join, relative, sep } from 'node:path';
import { LOCK_FILE, VERSION } from '#schemas';
import { findNearest } from '#shared/util';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type SourceLocation } from '../diagnostics/diagnostic.ts';
import { type BundleDiagnostic, isTypesModule } from './bundle.ts';
import { type BundlePositions, isOwn } from './bundle-positions.ts';
import type { ChildOutcome, Note, PartProvenance, ThrownError } from './child/exchange.ts';
import type { Copy } from './duplicate-packages.ts';
import type { LocatePart } from './locations/index.ts';
import { LEADS_OUT } from './outside-check.ts';
import type { ProgramTexts } from './program-texts.ts';
import type { EndedRun, RunLimits } from './run-process.ts';
import type { Frame } from './synthesized.ts';

/** Maximum length of a quoted text in characters. The message of an error may contain a whole document. */
const MAX_QUOTED = 600;

/** Minimum length in characters of the values that messages must not repeat. Shorter values are not secret, and occur in texts by chance. */
const LEAST_SECRET = 4;

/** Packages that programs need. */
const PEERS = ['cdk8s', 'constructs', 'lintel'];

/** What programs may import of Lintel. */
const OWN_MODULES = ['lintel', 'lintel/cdk8s', 'lintel/schemas', 'lintel/testing'];

/** The npm registry may have another package of this name, so no message advises to install Lintel by its name alone. */
const OWN_PACKAGE = `./lintel-${VERSION}.tgz`;

const OWN_PACKAGE_SOURCE = '`npm run package` in a clone of Lintel writes this file';

const REFUSED: Readonly<Record<string, DiagnosticCode>> = {
  FileSystemWrite: 'LNT1080',
  FileSystemRead: 'LNT1083',
  Net: 'LNT1081',
};

function suggestOwnModule(missing: string): string {
  const near = findNearest(missing, OWN_MODULES);
  return near === undefined ? `import one of ${OWN_MODULES.join(', ')}` : `did you mean "${near}"?`;
}

export class ProgramFindings {
  readonly #texts: ProgramTexts;
  readonly #positions: BundlePositions | undefined;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #locatePart: LocatePart;

  /**
   * @param folder of the project; absolute
   * @param environment of the program, whose values no message repeats
   */
  constructor(
    texts: ProgramTexts,
    positions: BundlePositions | undefined,
    folder: string,
    environment: Readonly<Record<string, string>>,
    locatePart: LocatePart = () => undefined,
  ) {
    this.#texts = texts;
    this.#positions = positions;
    this.#folder = folder;
    this.#environment = environment;
    this.#locatePart = locatePart;
  }

  /** A missing package that programs need. */
  reportMissingPackage(name: string, location: SourceLocation = this.#texts.locateEntry()): Diagnostic {
    const isOwnPackage = name === 'lintel';
    const packages = name === 'cdk8s' || name === 'constructs' ? 'cdk8s constructs' : isOwnPackage ? OWN_PACKAGE : name;
    const source = isOwnPackage ? `; ${OWN_PACKAGE_SOURCE}` : '';
    return createDiagnostic('LNT1074', location, `the package ${name} is not installed, and programs need it`, {
      fix: `run npm install --save-dev ${packages} in ${this.#texts.toShownPath(this.#folder) || '.'}${source}`,
    });
  }

  needsPackage(): Diagnostic {
    return createDiagnostic(
      'LNT1074',
      this.#texts.locateEntry(),
      'programs run in Node, which a single executable is not',
      {
        fix: `run npm install --save-dev ${OWN_PACKAGE} in ${this.#texts.toShownPath(this.#folder) || '.'}, and npx lintel there; ${OWN_PACKAGE_SOURCE}`,
      },
    );
  }

  /**
   * Reports that the `tsconfig.json` of a program is a link to a file outside of the repository.
   *
   * @param file absolute
   */
  reportLinkedConfig(file: string): Diagnostic {
    const message = `cannot read ${this.#texts.toShownPath(file)}: ${LEADS_OUT}`;
    return createDiagnostic('LNT1018', this.#texts.locateEntry(), message);
  }

  reportMistake({ text, file, line, column, length, missing }: BundleDiagnostic): Diagnostic {
    const location = file === undefined ? this.#texts.locateEntry() : this.#locateBytes(file, line, column, length);
    const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(missing ?? '') ?? [];
    const isOtherModule = name === 'lintel' && missing !== undefined && !OWN_MODULES.includes(missing);
    if (PEERS.includes(name) && !isOtherModule) return this.reportMissingPackage(name, location);
    if (missing !== undefined) {
      const fix = isOtherModule ? suggestOwnModule(missing) : this.#suggestLock(missing, file);
      return createDiagnostic(
        'LNT1073',
        location,
        `there is no module ${JSON.stringify(missing)}`,
        fix === undefined ? {} : { fix },
      );
    }
    const [, module, imported] = /^No matching export in "(.+)" for import "(.+)"$/.exec(text) ?? [];
    if (text === LEADS_OUT) return createDiagnostic('LNT1018', location, `cannot read the module: ${LEADS_OUT}`);
    if (imported !== undefined) {
      return createDiagnostic('LNT1073', location, `"${module}" exports no "${imported}"`, { fix: 'correct the name' });
    }
    return createDiagnostic('LNT1071', location, toOneLine(text));
  }

  /**
   * Advice about missing tool types, which a command generates.
   * @param from the importing file; absolute
   */
  #suggestLock(missing: string, from: string | undefined): string | undefined {
    if (!isTypesModule(missing) || from === undefined) return undefined;
    const folder = this.#texts.toShownPath(join(dirname(from), dirname(missing)));
    const out = folder === '' || !missing.startsWith('.') ? '' : ` --out ${folder}/${LOCK_FILE}`;
    return `run \`lintel lock ${this.#texts.shownEntry} --types${out}\`, which asks the backends and writes it`;
  }

  reportCopies(name: string, copies: readonly Copy[]): Diagnostic {
    const text = copies.map(
      ({ folder, version, importer }) =>
        `${version} in ${this.#texts.toShownPath(folder)}, for ${this.#texts.toShownPath(importer)}`,
    );
    return createDiagnostic(
      'LNT1084',
      this.#texts.locateEntry(),
      `there are ${copies.length} copies of ${name}: ${text.join('; ')}`,
    );
  }

  /** Reports how the process ended if it gave no result. */
  reportEnd({ reason, by, frames, stillOpen }: EndedRun, limits: RunLimits): Diagnostic {
    const { deadlineMs, maxHeapMegabytes, maxResultBytes } = limits;
    const location = this.#locate(frames);
    switch (reason) {
      case 'deadline': {
        const message = `the program was still running after ${deadlineMs / 1000} s`;
        if (frames.length > 0 || stillOpen === undefined) return createDiagnostic('LNT1076', location, message);
        return createDiagnostic(
          'LNT1076',
          this.#locate(stillOpen.frames),
          `${message}: ${stillOpen.what} keeps it open`,
          {
            help: 'End what was begun there, or let the process go without it (unref)',
          },
        );
      }
      case 'out-of-memory':
        return createDiagnostic('LNT1085', location, `the program needs more than ${maxHeapMegabytes} MB of memory`);
      case 'result-too-large': {
        const limitMb = Math.round(maxResultBytes / 1024 / 1024);
        return createDiagnostic('LNT1017', location, `the program gives more than ${limitMb} MB of objects`, {
          help: 'Split the program into several',
        });
      }
      case 'unreadable':
        return createDiagnostic('LNT1093', location, 'the output of the process of the program cannot be read', {
          help: 'Look for code that writes to file descriptor 3, or that replaces built-in objects of JavaScript',
        });
      default:
        return createDiagnostic('LNT1093', location, `the process of the program ended by ${by}`);
    }
  }

  reportOutcome(outcome: Exclude<ChildOutcome, { type: 'synthesized' }>): readonly Diagnostic[] {
    switch (outcome.type) {
      case 'threw':
        return [this.#reportThrown(outcome.thrown)];
      case 'rejected': {
        const { name, message, frames } = outcome.thrown;
        return [
          createDiagnostic(
            'LNT1089',
            this.#locate(frames),
            `a promise is rejected and nothing awaits it: ${name}: ${this.#quote(message)}`,
          ),
        ];
      }
      case 'exited':
        return [
          createDiagnostic(
            'LNT1077',
            this.#locate(outcome.frames),
            `the program ends its process with exit code ${outcome.exitCode}`,
          ),
        ];
      case 'failed': {
        const message = `the program says that it failed: it sets process.exitCode to ${outcome.exitCode}`;
        return [createDiagnostic('LNT1077', this.#texts.locateEntry(), message)];
      }
      case 'nothing': {
        const { exports, uncalled } = outcome;
        const why = uncalled.length === 0 ? '' : `; functions with parameters are not called: ${uncalled.join(', ')}`;
        const what =
          exports.length === 0
            ? 'exports nothing'
            : `exports ${exports.join(', ')}, none of which is an App or a Chart`;
        return [
          createDiagnostic(
            'LNT1078',
            this.#texts.locateEntry(),
            `the program ${what}, and no app was written by app.synth()${why}`,
          ),
        ];
      }
      case 'pending':
        return [
          createDiagnostic(
            'LNT1076',
            this.#texts.locateEntry(),
            'the program waits for a promise that nothing is left to settle',
            {
              help: 'Look for a promise whose resolve is never called',
            },
          ),
        ];
      case 'invalid':
        return outcome.constructs.map(({ constructPath, message, part, frames }) => {
          const location = this.#locateProvenance(part, frames);
          return createDiagnostic('LNT1086', location, `${constructPath || 'the app'}: ${this.#quote(message)}`);
        });
      case 'cycle':
        return [this.#reportCycle(outcome)];
      case 'no-data': {
        const { part, what, frames } = outcome;
        const { constructPath, pointer } = part;
        return [
          createDiagnostic(
            'LNT1088',
            { ...this.#locateProvenance(part, frames), pointer },
            `${constructPath}: ${pointer || 'the object'} is ${what}, which JSON does not have`,
          ),
        ];
      }
    }
  }

  /** Reports a cycle at the call that closed it; the earlier calls are related locations. */
  #reportCycle({ constructPaths, dependencies }: Extract<ChildOutcome, { type: 'cycle' }>): Diagnostic {
    const [last, ...before] = dependencies
      .filter(({ frames }) => this.#positions?.findOwn(frames) !== undefined)
      .toReversed();
    const message = `constructs depend on each other in a circle: ${constructPaths.join(' -> ')}`;
    const related = before
      .filter(({ from, on }) => from !== last?.from || on !== last.on)
      .map(({ from, on, frames }) => {
        const { file, range } = this.#locate(frames);
        return { message: `${from} depends on ${on}`, file, range };
      });
    return createDiagnostic('LNT1087', this.#locate(last?.frames ?? []), message, { related });
  }

  /**
   * Reports actions of a program besides creating objects.
   * @param isSet whether a variable is set outside
   */
  reportNotes(notes: readonly Note[], isSet: (name: string) => boolean): readonly Diagnostic[] {
    const found = notes.flatMap(note => this.#reportNote(note, isSet) ?? []);
    // Each position once: the first output at a position is enough.
    const firstPrint = found.find(({ code }) => code === 'LNT1079');
    return found.filter(diagnostic => diagnostic.code !== 'LNT1079' || diagnostic === firstPrint);
  }

  #reportNote({ type, what, frames, isDirect }: Note, isSet: (name: string) => boolean): Diagnostic | undefined {
    const location = this.#locate(frames);
    const [innermost] = frames;
    const isOwnCall =
      isDirect && innermost !== undefined && isOwn(this.#positions?.findOriginal(innermost)?.file ?? 'lintel');
    switch (type) {
      case 'network':
        return createDiagnostic('LNT1081', location, `the program uses the network: ${what}`);
      case 'process':
        return createDiagnostic('LNT1082', location, `the program starts a process: ${what}`);
      case 'print':
        return createDiagnostic('LNT1079', location, 'the program prints to standard output');
      case 'clock':
        return isOwnCall
          ? createDiagnostic('LNT1090', location, `${what} gives the same time each time, not the time of day`)
          : undefined;
      case 'random':
        return this.#isImport(location) || this.#positions?.findOwn(frames) === undefined
          ? undefined
          : createDiagnostic('LNT1090', location, `${what} gives the same values each time, so they are not secret`);
      case 'environment':
        return isOwnCall && isSet(what)
          ? createDiagnostic('LNT1091', location, `${what} is set here, and the program does not get it`, {
              fix: `pass it with --env ${what}`,
            })
          : undefined;
    }
  }

  /** Whether the location is an import. Then a package reads random numbers or the time while it is loaded, which is no mistake of the program. */
  #isImport({ file, range }: SourceLocation): boolean {
    const line = this.#texts.texts.get(file)?.line(range.start.line)?.text ?? '';
    return /^\s*(?:import|export\s.*\bfrom)\b|\brequire\(/.test(line);
  }

  #reportThrown({ name, message, frames, constructPath, part, refused }: ThrownError): Diagnostic {
    const location = this.#locateProvenance(part, frames);
    const at = constructPath === undefined ? '' : ` (at construct ${constructPath})`;
    if (refused !== undefined) {
      const code = REFUSED[refused.permission] ?? 'LNT1082';
      return createDiagnostic(code, location, `${this.#describeRefusal(refused)}${at}`);
    }
    if (/Cannot find module '|Cannot find package '/.test(message)) {
      return createDiagnostic('LNT1073', location, this.#quote(message.replace(/\s*Require stack:[\s\S]*$/, '')));
    }
    return createDiagnostic('LNT1070', location, `the program throws ${name}: ${this.#quote(message)}${at}`);
  }

  #describeRefusal({ permission, resource }: NonNullable<ThrownError['refused']>): string {
    const path = resource === '' || resource === 'undefined' ? '' : ` ${this.#toProjectPath(resource)}`;
    switch (permission) {
      case 'FileSystemWrite':
        return `the program writes${path || ' a file'}`;
      case 'FileSystemRead':
        return `the program reads${path || ' a file'}, which is outside of its project`;
      case 'ChildProcess':
        return `the program starts a process${path && `: ${resource}`}`;
      case 'WorkerThreads':
        return 'the program starts a worker';
      default:
        return `the program uses a permission that programs do not have: ${permission}`;
    }
  }

  #toProjectPath(path: string): string {
    const inside = relative(this.#folder, path);
    return inside.startsWith('..') ? path : inside.replaceAll(sep, '/') || '.';
  }

  /** @param frames the fallback when no position is found */
  #locateProvenance(part: PartProvenance | undefined, frames: readonly Frame[]): SourceLocation {
    const found = part && this.#locatePart(part);
    return found === undefined ? this.#locate(frames) : { file: found.source.file, pointer: '', range: found.range };
  }

  #locate(frames: readonly Frame[]): SourceLocation {
    const own = this.#positions?.findOwn(frames);
    return own === undefined ? this.#texts.locateEntry() : this.#texts.locate(own.file, own.line, own.column);
  }

  /** The location of a range in bytes counted from 0, as esbuild counts. */
  #locateBytes(file: string, line: number, column: number, length: number): SourceLocation {
    const { text = '' } = this.#texts.getText(file).line(line) ?? {};
    const bytes = Buffer.from(text);
    const before = bytes.subarray(0, column).toString().length;
    const inside = bytes.subarray(column, column + length).toString().length;
    return this.#texts.locate(file, line, before + 1, inside);
  }

  /** Quotes untrusted text: on one line, truncated, without values of the program's environment such as tokens. */
  #quote(text: string): string {
    let quoted = text.replaceAll(this.#folder + sep, '');
    for (const [name, value] of Object.entries(this.#environment)) {
      if (value.length >= LEAST_SECRET) quoted = quoted.replaceAll(value, `[${name}]`);
    }
    return toOneLine(quoted);
  }
}

function toOneLine(text: string): string {
  const line = text
    .replace(/\s*\n\s*/g, '; ')
    .trim()
    .replace(/\.$/, '');
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
}
