/** Notes as Markdown files in one folder. A note's name is its file name without `.md`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Longest excerpt shown for a match, in characters. */
const SNIPPET_LENGTH = 140;

/** Letters, digits and common punctuation, but no character that has a meaning in a path. */
const TITLE = /^[\p{L}\p{N}][\p{L}\p{N} ,:;!?'"()&+_-]*$/u;

/** @typedef {{ name: string, title: string, text: string }} Note */

/** The request is not possible, for a reason that the message gives to the client. */
export class NoteError extends Error {
  /** JSON-RPC's "invalid params", for requests other than tool calls: the SDK sends it as the code of a JSON-RPC error. */
  code = -32_602;
}

export class NotesFolder {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** @returns {Promise<string[]>} names in alphabetical order */
  async names() {
    const entries = await readdir(this.folder, { withFileTypes: true });
    // Symbolic links are left out, because they could lead out of the folder.
    const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.md') && !entry.name.startsWith('.'));
    return files.map(entry => entry.name.slice(0, -'.md'.length)).sort();
  }

  /** @returns {Promise<Note[]>} */
  async all() {
    return Promise.all((await this.names()).map(name => this.#load(name)));
  }

  /**
   * Reads only names that `names` returns, so that no name leads to a file outside of the folder.
   *
   * @returns {Promise<Note>}
   * @throws {NoteError}
   */
  async read(name) {
    const names = await this.names();
    if (!names.includes(name)) throw new NoteError(`no note named "${name}"; there are: ${names.join(', ')}`);
    return this.#load(name);
  }

  /** Notes that contain every word of the query, each with the line that contains the first word. */
  async search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const notes = await this.all();
    return notes
      .filter(note => words.every(word => note.text.toLowerCase().includes(word)))
      .map(({ name, title, text }) => ({ name, title, snippet: snippetOf(text, words[0] ?? '') }));
  }

  /**
   * @returns {Promise<string>} the name of the new note
   * @throws {NoteError} for a title that cannot be a file name, or that is taken
   */
  async add(title, text) {
    if (!TITLE.test(title)) {
      throw new NoteError(
        `the title "${title}" cannot be a file name: use letters, digits, spaces and simple punctuation`,
      );
    }
    const name = nameFor(title);
    if (name === '') throw new NoteError(`the title "${title}" has no letter or digit to make a name of`);
    try {
      // `wx` fails if the file exists already, or a dangling symbolic link with its name.
      await writeFile(path.join(this.folder, `${name}.md`), `# ${title}\n\n${text.trim()}\n`, { flag: 'wx' });
    } catch (error) {
      if (error.code === 'EEXIST')
        throw new NoteError(`there is a note named "${name}" already; notes are never overwritten`);
      throw error;
    }
    return name;
  }

  /** @returns {Promise<Note>} */
  async #load(name) {
    const text = await readFile(path.join(this.folder, `${name}.md`), 'utf8');
    return { name, title: /^# +(.+)$/m.exec(text)?.[1] ?? name, text };
  }
}

/** "Q3 planning, part 2" becomes "q3-planning-part-2". */
function nameFor(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-');
}

function snippetOf(text, word) {
  const line = text.split('\n').find(candidate => candidate.toLowerCase().includes(word)) ?? '';
  const plain = line.replace(/^(?:[#>*\s-]|\d+\.|\[.\])+/, '').trim();
  return plain.length <= SNIPPET_LENGTH ? plain : `${plain.slice(0, SNIPPET_LENGTH - 1)}…`;
}
