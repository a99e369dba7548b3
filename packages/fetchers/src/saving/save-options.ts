import { callback, flag, type OptionKind, octets } from '../kit/options.ts'
import { type Checksum, checksum } from './digests.ts'

/** Options for saving a body to a file. */
export interface SaveOptions {
  /**
   * False: fail if the name exists. Default true: an existing file is replaced, and the new file keeps its permissions.
   */
  readonly overwrite?: boolean
  /**
   * True: append to the file, which has the octets before the representation's `offset`. It must be a regular file of
   * exactly that length, and no link; at offset 0 it may be missing. If the save fails, the received octets stay, so
   * that a later retrieval can resume. Default false.
   */
  readonly append?: boolean
  /**
   * False: remove the part if the save fails. Default true: the received octets stay in `path.part`, and a body that
   * `resumeFrom` asked for is appended to a part that ends where the body begins. Nothing is kept of a range, or of a
   * body that broke a limit or the protocol.
   */
  readonly resumable?: boolean
  /** False: fail with `resume-failed` if the file to be replaced is longer than the body. Default true. */
  readonly shrink?: boolean
  /**
   * True: write to a FIFO, a device or an open descriptor (`/dev/stdout`) if it has the name. Default false: fail
   * instead.
   */
  readonly special?: boolean
  /** False: the file keeps the time of its writing. Default true: the file gets the date of the resource, if known. */
  readonly dated?: boolean
  /** True: make missing folders of the path. Default false: fail instead. */
  readonly folders?: boolean
  /**
   * The checksum that the whole file must have, including octets of an earlier retrieval. With another checksum the
   * save fails with `checksum-failed`: the file does not get its name, the part is removed, and a file that was
   * appended to gets its former length. What was written to a special file stays there.
   */
  readonly checksum?: Checksum
  /** Octets to write before the body, such as its header fields. The part is then not kept. Not with `append`. */
  readonly before?: Uint8Array
  /**
   * Called when all octets are in the part and the checksum is right, before the file gets its name, which waits for
   * it. If it rejects, the save fails with its error. A file that has its name already (`append`, `special`) does not
   * call it.
   */
  readonly beforeName?: (whole: WholePart) => Promise<void> | void
}

/** A file that is complete, and has no name yet. */
export interface WholePart {
  /** The name that it will get. */
  readonly path: string
  /** Its length in octets. */
  readonly size: number
  /** The entity tag and the date of the resource. Default null. */
  readonly etag: string | null
  readonly modified: Date | null
  /** Its SHA-256 in hexadecimal digits, from Client.save and Client.mirror. Representation.saveTo gives none. */
  readonly sha256?: string
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<keyof SaveOptions, true>> {}
}

export const saveOptionKinds: Readonly<Record<keyof SaveOptions, OptionKind>> = {
  overwrite: flag,
  append: flag,
  resumable: flag,
  shrink: flag,
  special: flag,
  dated: flag,
  folders: flag,
  checksum,
  before: octets,
  beforeName: callback,
}
