import { stat } from 'node:fs/promises'
import { type AccessPlans, encodeOctets } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { readDirectory } from '../../local/directory.ts'
import { attempt, openPath, pathOctets } from '../../local/open-path.ts'
import { retrieveFile } from '../../local/retrieve-file.ts'

/** Retrieves a path of the Andrew File System below the folder where the system is mounted. */
export async function retrieveBelow(
  mount: string,
  plan: AccessPlans['afs'],
  context: RetrievalContext,
): Promise<Retrieved<'afs'>> {
  const name = plan.path.replace(/^\/afs\/?/, '')
  if (name.split('/').includes('..')) {
    throw context.error('refused', 'A .. in the path would lead out of AFS.', { phase: 'policy' })
  }
  await checkMounted(mount, context)
  const path = name === '' ? mount : `${mount}/${name}`
  const opened = await openPath(path, context)
  if (opened.kind === 'file') return { ...(await retrieveFile(path, opened, context)), metadata: {} }
  const urlOf = (child: string): string => `afs:/afs/${encodeOctets(child.slice(mount.length + 1), '/')}`
  return { ...(await readDirectory(path, opened.stats, context, urlOf)), metadata: {} }
}

async function checkMounted(mount: string, context: RetrievalContext): Promise<void> {
  const isThere = await attempt(context, () =>
    stat(pathOctets(mount)).then(
      (found) => found.isDirectory(),
      () => false,
    ),
  )
  if (isThere) return
  const message = 'The Andrew File System is not here: this machine has none mounted at /afs.'
  throw context.error('not-found', message)
}
