import { type AccessPlans, octetsToText } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { plainText } from '../../programs/plain-text.ts'
import { runProgram } from '../../programs/run-program.ts'
import { textResult } from '../../programs/text-result.ts'
import { info } from './about.ts'
import { nodeEntries } from './entries.ts'
import { type NodeHeader, nodeHeader } from './header.ts'

/**
 * Makes a fetcher for nodes of Info files (uri(7)), as the program `info` writes them. An underscore in a URL may mean
 * a blank, so it first tries the node whose name is as written.
 */
export function infoFetcher(): Fetcher<'info'> {
  return { ...info, retrieve: retrieveNode }
}

async function retrieveNode(plan: AccessPlans['info'], context: RetrievalContext): Promise<Retrieved<'info'>> {
  const names = [...new Set([plan.literalNode ?? plan.node, plan.node])].map(octetsToText)
  for (const name of names) {
    const found = await readNode(plan.file, name, context)
    if (found === null) continue
    const { text, header } = found
    const metadata = { file: octetsToText(plan.file), ...header }
    const kind = plan.file === 'dir' ? 'listing' : 'object'
    return textResult(text, context, { kind, metadata, entries: (body) => nodeEntries(body, plan.file) })
  }
  const file = octetsToText(plan.file)
  const message = `The Info file "${file}" has no node "${names.at(-1)}". info:${file} lists its nodes.`
  throw context.error('not-found', message)
}

/** Reads a node. Returns null if the file has none of this name. Rejects with `not-found` if there is no file. */
async function readNode(
  file: string,
  node: string,
  context: RetrievalContext,
): Promise<{ readonly text: string; readonly header: NodeHeader } | null> {
  // A name that follows an option's letter cannot be an option itself (threats.md case 7).
  const args = [`-f${octetsToText(file)}`, `-n${node}`, '-o-']
  const { status, stdout, complaint } = await runProgram({ name: 'info', args, packageName: 'info' }, context)
  const reply = complaint === '' ? {} : { reply: complaint }
  if (status === null) throw context.error('file-failed', `The program info broke off. ${complaint}`.trim(), reply)
  const text = plainText(stdout)
  const header = nodeHeader(text)
  if (header === null) {
    const message = `This machine has no Info file "${octetsToText(file)}". info:(dir) lists those that it has.`
    throw context.error('not-found', message, reply)
  }
  // If info does not know a node, it complains, and writes the node Top with exit status 0. An anchor leads to the node
  // around it, without a complaint.
  const isOther = header.node.toLowerCase() !== node.toLowerCase()
  return isOther && complaint !== '' ? null : { text, header }
}
