import { Listener, type Protocol } from '../listener.ts'
import type { FileServer, ServerOptions } from '../test-server.ts'
import type { Files, ServedFiles } from './served-files.ts'

/** The listener of a protocol that has files. */
export class FileListener extends Listener implements FileServer {
  readonly #files: ServedFiles

  constructor(protocol: Protocol, options: ServerOptions, files: ServedFiles) {
    super(protocol, options)
    this.#files = files
  }

  setFiles(files: Files): void {
    this.#files.set(files)
  }

  override reset(): void {
    super.reset()
    this.#files.reset()
  }
}
