const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the quota is used up',
  // From making a folder. A name of a file that is taken has other words, where the file is made.
  EEXIST: 'a file stands where a folder is needed',
  EFBIG: 'the file may not grow further',
  EIO: 'the device reports an error',
  EISDIR: 'it is a directory; name a file in it',
  ELOOP: 'a symbolic link stands there',
  EMFILE: 'too many files are open; raise the limit of this process, or close some',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'this system has as many files open as it can',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'no space is left on the device',
  ERR_ACCESS_DENIED: "Node's permission model refuses it",
  ENOTDIR: 'a part of its path is no folder',
  EROFS: 'the file system is read-only',
}

/** Says in words why the system refused to write a file. Undefined for a reason that has no words here. */
export function systemReason(cause: unknown): string | undefined {
  return reasons[(cause as NodeJS.ErrnoException).code ?? '']
}

/** The reasons that have other words for a file that is read. */
const readReasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file',
}

/** Says in words why the system refused to read a file; a rare reason is given by its code. */
export function whyUnreadable(cause: unknown): string {
  const { code = '' } = cause as NodeJS.ErrnoException
  return readReasons[code] ?? systemReason(cause) ?? (code || String(cause))
}

/**
 * Throws an error, unless it says that Node's permission model has refused a call: it refuses most calls on open files,
 * whatever may be written.
 */
export function throwUnlessDenied(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_ACCESS_DENIED') throw error
}
