import { computeDigest, type RegistryFilterPlan } from '#schemas';
import { FileBytesError, readFileBytes } from '../../bundle/file-bytes.ts';
import { MAX_SOURCE_BYTES, type Reader, ReadingError } from './reading.ts';
import { decodeSource, readSourceText } from './source-text.ts';

/** Creates the reader of a local source file. The mark is the digest of its content, because a file may change and keep its time stamps. */
export function createFileReader(path: string, filter: RegistryFilterPlan): Reader {
  return async (mark, signal) => {
    const bytes = await readFileBytes(path, MAX_SOURCE_BYTES).catch(error => {
      throw error instanceof FileBytesError ? new ReadingError(path, error.message) : error;
    });
    const digest = computeDigest(bytes);
    if (digest === mark) return { entries: undefined, mark };
    return { ...(await readSourceText(decodeSource(bytes, path), filter, path, signal)), mark: digest };
  };
}
