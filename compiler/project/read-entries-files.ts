/** Reads the files of registry entries that configurations refer to, in addition to the sources. */

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { getMember } from '#schemas';
import { describeFileError } from '#shared/util';
import { findPathToBundle, resolveEntriesFile } from '../analysis/registry/entries-path.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Project } from '../lint/index.ts';
import { decode } from '../source/decode.ts';
import { MAX_ENTRIES_FILE_BYTES } from '../source/limits.ts';
import { readBytes } from '../source/read-bytes.ts';
import type { Sources } from '../source/read-sources.ts';
import { readText } from '../source/read-text.ts';
import { isRegistryConfig } from '../source/registry-config.ts';
import type { SourceDocument } from '../source/source-document.ts';
import { SourceText } from '../source/source-text.ts';

/**
 * Adds the texts of all files of entries that registry servers name by a relative path. Such a file is not a spec, so findings about it as a
 * spec are removed.
 *
 * The author of a configuration may not be allowed to read every file of the compiling machine, so the file must be inside of the project: the
 * folder of `lintel.yaml`, otherwise the working directory, otherwise the folder of the configuration. Links must not lead out.
 */
export function readEntriesFiles(sources: Sources, project: Pick<Project, 'file' | 'folder'>, cwd: string): Sources {
  const referencedFiles = new Map(listReferencedFiles(sources).map(file => [file.name, file]));
  if (referencedFiles.size === 0) return sources;
  const texts = new Map(sources.texts);
  const refused = new Map<string, string>();
  for (const { name, configFile } of referencedFiles.values()) {
    const read = readInside(name, path.resolve(cwd, name), findRoot(configFile, project, cwd));
    texts.delete(name);
    if (read instanceof SourceText) texts.set(name, read);
    else refused.set(name, read);
  }
  const isEntries = ({ file }: { readonly file: string }) => referencedFiles.has(file);
  const diagnostics = sources.diagnostics.filter(found => !isEntries(found));
  return {
    ...sources,
    documents: sources.documents.filter(document => !isEntries(document)),
    diagnostics,
    texts,
    refused,
    complete: !diagnostics.some(isGap),
  };
}

/** The absolute paths of referenced files of entries, existing or not, for watchers. */
export function listEntriesFiles(sources: Sources, cwd: string): readonly string[] {
  return [...new Set(listReferencedFiles(sources).map(({ name }) => path.resolve(cwd, name)))];
}

interface EntriesFileReference {
  /** The path of the file, as messages show it. */
  readonly name: string;
  readonly configFile: string;
}

function listReferencedFiles({ documents, named }: Sources): readonly EntriesFileReference[] {
  const configs = documents.flatMap(document => listConfigs(document, named.has(document.file)));
  const files = configs.flatMap(({ config, file }) => {
    const list = getMember(config, 'sources');
    return (Array.isArray(list) ? list : []).flatMap((source): EntriesFileReference[] => {
      const filePath = getMember(getMember(source, 'file'), 'path');
      const relative = typeof filePath === 'string' ? findPathToBundle({ file: { path: filePath } }) : undefined;
      return relative === undefined ? [] : [{ name: resolveEntriesFile(file, relative), configFile: file }];
    });
  });
  // A configuration that refers to itself stays a configuration.
  return files.filter(({ name }) => !configs.some(({ file }) => file === name));
}

/** Finds configurations in their own files and in manifests. They are validated later. */
function listConfigs(
  { value, file }: SourceDocument,
  isNamed: boolean,
): { readonly config: unknown; readonly file: string }[] {
  if (isRegistryConfig(value, isNamed)) return [{ config: value, file }];
  const text = getMember(getMember(value, 'spec'), 'configYAML');
  if (getMember(value, 'kind') !== 'MCPRegistry' || typeof text !== 'string') return [];
  return readText(new SourceText('embedded', text)).documents.map(document => ({ config: document.value, file }));
}

function findRoot(configFile: string, { file, folder }: Pick<Project, 'file' | 'folder'>, cwd: string): string {
  if (file !== undefined) return folder;
  const config = path.resolve(cwd, configFile);
  return isInside(config, cwd) ? cwd : path.dirname(config);
}

/** The text of a file, or why it is not read, as the end of a sentence. */
function readInside(name: string, absolute: string, root: string): SourceText | string {
  if (!isInside(absolute, root)) return 'is outside of the project';
  try {
    const real = realpathSync(absolute);
    if (!isInside(real, realpathSync(root))) return 'is a link that leads out of the project';
    if (!statSync(real).isFile()) return 'is no file';
    const bytes = readBytes(real, MAX_ENTRIES_FILE_BYTES);
    if (bytes === undefined) return `is larger than ${MAX_ENTRIES_FILE_BYTES} bytes`;
    const decoded = decode(name, bytes, MAX_ENTRIES_FILE_BYTES);
    return 'source' in decoded ? keepSource(decoded.source) : `was not read: ${decoded.diagnostic.message}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return `cannot be read: ${describeFileError(error)}`;
  }
}

/** Texts by the path that messages show. An equal text stays the same object, so that derived results can be reused. */
const last = new Map<string, WeakRef<SourceText>>();

function keepSource(source: SourceText): SourceText {
  const before = last.get(source.file)?.deref();
  if (before?.text === source.text && before.startsWithMark === source.startsWithMark) return before;
  last.set(source.file, new WeakRef(source));
  return source;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A source that was not read completely. */
function isGap({ code }: Diagnostic): boolean {
  return code === 'LNT1017' || code === 'LNT1018';
}
