import { getMember } from '#schemas';
import type { Sources } from '../source/read-sources.ts';
import type { SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';

/** Removes objects of the given texts that other files define as well: files take precedence. */
export function withoutRepeated(
  sources: Sources,
  repeated: readonly SourceText[],
  defaultNamespace = 'default',
): Sources {
  if (repeated.length === 0) return sources;
  const files = new Set(repeated.map(({ file }) => file));
  const formatKey = ({ value }: SourceDocument) => {
    const metadata = getMember(value, 'metadata');
    return JSON.stringify([
      getMember(value, 'kind'),
      getMember(metadata, 'namespace') ?? defaultNamespace,
      getMember(metadata, 'name'),
    ]);
  };
  const own = new Set(sources.documents.filter(({ file }) => !files.has(file)).map(formatKey));
  return {
    ...sources,
    documents: sources.documents.filter(document => !files.has(document.file) || !own.has(formatKey(document))),
  };
}
