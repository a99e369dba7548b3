import { readdirSync, readlinkSync } from 'node:fs'

/** The files below a folder that this process has open. */
export function openFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((number) => targetOf(`/proc/self/fd/${number}`))
    .filter((path) => path.includes(folder))
}

/** The descriptor of the listing itself is closed already. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
