import type { Control } from './control.ts'
import type { Dialogue } from './dialogue.ts'
import { isPermanent, isPositive, type Reply, refused, shownName } from './replies.ts'

/**
 * RFC 1738 3.2.2: one CWD for each segment, since `/` may mean nothing to the server (VMS, MVS). An empty segment is a CWD with
 * a null argument: `CWD `, CRLF.
 */
export async function enterDirectories(dialogue: Dialogue): Promise<void> {
  const { control, plan } = dialogue
  let moved = false
  for (const [index, segment] of plan.cwd.entries()) {
    const reply = await changeDirectory(control, segment)
    if (isPositive(reply)) moved = true
    // Where nothing has moved us yet, we are still in the entry directory: where the null argument leads on servers that take it.
    else if (segment !== '' || !isPermanent(reply) || moved) throw cwdError(dialogue, reply, index)
  }
}

/**
 * Servers differ on the null argument: pure-ftpd and pyftpdlib go to the entry directory; inetutils does so for `CWD` alone and
 * answers `CWD ` by 500; proftpd (501) and vsftpd (550) refuse both and stay.
 */
async function changeDirectory(control: Control, segment: string): Promise<Reply> {
  const reply = await control.ask('request', `CWD ${segment}`)
  return segment === '' && isPermanent(reply) ? control.ask('request', 'CWD') : reply
}

function cwdError({ plan, context }: Dialogue, reply: Reply, index: number): Error {
  const segment = plan.cwd[index] ?? ''
  if (segment !== '') return refused(context, reply, `the directory ${shownName(segment)}`)
  const advice = 'Write the path without the double slash'
  return refused(context, reply, `the empty segment ${index + 1} of the path`, { advice })
}
