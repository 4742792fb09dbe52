/** Every file that contains Lintel's version must contain the version of `package.json`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Place {
  /** Pattern of paths from the root. */
  readonly files: string;
  /** A pattern whose group is the version. Without the flag `g`, only the first match in a file counts. */
  readonly pattern: RegExp;
  /** Whether a file that matches may lack a version. */
  readonly isOptional?: boolean;
}

const PLACES: readonly Place[] = [
  { files: 'schemas/version.ts', pattern: /VERSION = '([^']*)'/ },
  { files: 'editors/vscode/package.json', pattern: /^ {2}"version": "([^"]*)"/m },
  { files: 'package-lock.json', pattern: /^ {2}"version": "([^"]*)"/m },
  { files: 'package-lock.json', pattern: /^ {4}"(?:|editors\/vscode)": \{\n.*\n {6}"version": "([^"]*)"/gm },
  { files: 'CHANGELOG.md', pattern: /^## (\d[^\s,]*)/m },
  { files: '{bridge,compiler,controller,runtime}/Containerfile', pattern: /image\.version="([^"]*)"/g },
  { files: 'controller/install/kustomization.yaml', pattern: /newTag: (\S+)/g },
  { files: 'controller/install/deployment.yaml', pattern: /image=\S*:(\S+)/g },
  { files: '{docs,examples/*}/*.{md,json}', pattern: /\blintel-(\d[\w.-]*)\.(?:tgz|vsix)/g, isOptional: true },
  { files: 'docs/images.md', pattern: /-t lintel[\w-]*:(\S+)/g },
];

export interface VersionFinding {
  /** The path of the file, relative to the root. */
  readonly file: string;
  /** The line of the version, counted from 1; undefined when the file has no version. */
  readonly line: number | undefined;
  readonly version: string | undefined;
}

export function readVersion(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Files with another version than `package.json`, and files that lack an expected version. */
export function findOtherVersions(root: string): readonly VersionFinding[] {
  const own = readVersion(root);
  return PLACES.flatMap(({ files, pattern, isOptional = false }): readonly VersionFinding[] => {
    const paths = globSync(files, { cwd: root }).sort();
    if (paths.length === 0) return [{ file: files, line: undefined, version: undefined }];
    return paths.flatMap((file): readonly VersionFinding[] => {
      const text = readFileSync(join(root, file), 'utf8');
      const found = pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text)].filter(match => match !== null);
      if (found.length === 0 && !isOptional) return [{ file, line: undefined, version: undefined }];
      return found
        .filter(([, version]) => version !== own)
        .map(match => ({ file, line: lineAt(text, match.index + match[0].length), version: match[1] }));
    });
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The finding in one line, for people. */
export function formatVersionFinding({ file, line, version }: VersionFinding, own: string): string {
  return line === undefined
    ? `${file}: no version was found here, and ${own} was expected`
    : `${file}:${line}: ${version}, and package.json says ${own}`;
}
