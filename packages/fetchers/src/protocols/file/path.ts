import type { FilePlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'

/**
 * Returns the plan's path on this system. Windows has drives, `/C:/x` or in the old form `/C|/x` (RFC 8089 E.2). Other
 * systems refuse the old form, and say what it means. Windows would read a path that begins with two slashes as one on
 * another host (threats.md case 53).
 */
export function pathOf(
  { path }: Pick<FilePlan, 'path'>,
  context: Pick<RetrievalContext, 'error'>,
  platform: NodeJS.Platform = process.platform,
): string {
  const [, drive, rest = ''] = /^\/([A-Za-z])[:|](\/.*)?$/s.exec(path) ?? []
  if (platform === 'win32') {
    const local = drive === undefined ? path : `${drive}:${rest || '/'}`
    if (!/^[/\\]{2}/.test(local) && !local.includes('\\')) return local
    const message = 'Windows would read the path as one on another host, or its \\ as a slash, so it is not opened.'
    throw context.error('refused', message, { phase: 'policy' })
  }
  if (drive === undefined || path[2] === ':') return path
  const message = `The path names the drive ${drive}: of Windows, and this system has no drives.`
  throw context.error('not-found', message)
}
