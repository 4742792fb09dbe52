import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findProjectFile, PROJECT_FILE } from '../project/index.ts';
import { EditedProject } from './edited-project.ts';

/** The projects of an editor: files that belong together are compiled together. */
export class Workspace {
  /** Open texts by absolute path. */
  readonly open = new Map<string, string>();
  readonly #projects = new Map<string, EditedProject>();
  /** Open folders, as absolute paths. */
  #folders: readonly string[] = [];

  get projects(): Iterable<EditedProject> {
    return this.#projects.values();
  }

  /** A folder with a `lintel.yaml` is a project from the start; another folder becomes one with its first open file. */
  setFolders(folders: readonly string[]): void {
    this.#folders = folders;
    for (const folder of folders) if (existsSync(join(folder, PROJECT_FILE))) this.findProject(folder);
  }

  /**
   * Removes projects of folders that the editor closed, and single-file projects that a folder now covers.
   * @returns the removed projects
   */
  changeFolders(added: readonly string[], removed: readonly string[]): readonly EditedProject[] {
    this.setFolders([...new Set([...this.#folders.filter(folder => !removed.includes(folder)), ...added])]);
    const ofOpenFiles = new Set([...this.open.keys()].map(file => this.#chooseFolder(file)));
    const isKept = (folder: string) =>
      ofOpenFiles.has(folder) ||
      (existsSync(join(folder, PROJECT_FILE)) && this.#folders.some(open => isIn(folder, open)));
    const gone = [...this.#projects].filter(([folder]) => !isKept(folder));
    for (const [folder] of gone) this.#projects.delete(folder);
    return gone.map(([, project]) => project);
  }

  /**
   * The project of a file: of the nearest `lintel.yaml`, otherwise of the open folder, otherwise of the file's own folder.
   * @throws UsageError as `findProjectFile`
   */
  getProject(absolute: string): EditedProject {
    return this.findProject(this.#chooseFolder(absolute));
  }

  #chooseFolder(absolute: string): string {
    const file = findProjectFile([], dirname(absolute));
    if (file !== undefined) return dirname(file);
    // An editor may have a folder and one of its subfolders open.
    const opened = this.#folders.filter(folder => isIn(absolute, folder)).sort((a, b) => b.length - a.length);
    return opened[0] ?? dirname(absolute);
  }

  /** @param folder an absolute path */
  findProject(folder: string): EditedProject {
    const known = this.#projects.get(folder);
    if (known !== undefined) return known;
    const project = new EditedProject(folder, this.open);
    this.#projects.set(folder, project);
    return project;
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
