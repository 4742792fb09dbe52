/** Limits on all external input. Exceeding one is LNT1017, and nothing beyond it is read. */

/** Files that one command reads. */
export const MAX_FILES = 20_000;

/** Size of one file, in bytes. */
export const MAX_FILE_BYTES: number = 8 * 1024 * 1024;

/** Size of the tool lock, in bytes. */
export const MAX_CATALOG_BYTES: number = 64 * 1024 * 1024;

/** Size of a file of registry entries, in bytes. */
export const MAX_ENTRIES_FILE_BYTES: number = 64 * 1024 * 1024;

/** YAML documents in one file, and items in one `List`. */
export const MAX_DOCUMENTS_PER_FILE = 10_000;

/** Nesting of mappings and lists, including aliases. */
export const MAX_DEPTH = 100;

/** Aliases, such as `*base`, in one document. */
export const MAX_ALIASES = 100;

/** Scalars, lists and mappings in one document; repetitions by aliases count each time. */
export const MAX_VALUES_PER_DOCUMENT = 1_000_000;

/** Words, signs, spaces and line breaks in one YAML file; each takes about a microsecond. */
export const MAX_LEXEMES_PER_FILE = 3_000_000;

/** Syntax errors in one file. */
export const MAX_SYNTAX_ERRORS_PER_FILE = 100;
