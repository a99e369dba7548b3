import type { Answer, Asked } from '../answer.ts'
import type { GatewayCore } from '../core.ts'
import { viaLine } from '../fields.ts'
import { checkForm, checkTarget, checkToken } from '../guard.ts'
import { withSearch } from '../listing.ts'
import { problem, Refusal } from '../problem.ts'
import { retrieved } from '../retrieved.ts'
import { forward } from './forward.ts'
import { keptAnswer } from './kept-answer.ts'

/** Answers a request to the proxy that has a place. Never rejects. */
export async function answerProxied(core: GatewayCore, asked: Asked): Promise<Answer> {
  const { settings, pseudonym } = core
  try {
    return await answer(core, { ...asked, url: withSearch(asked.url) })
  } catch (error) {
    const { lines, ...rest } = problem(error, asked.headers.accept, settings.messageOf)
    return { ...rest, lines: [...lines, viaLine('1.1', pseudonym)] }
  }
}

async function answer({ settings, pseudonym, ownPorts }: GatewayCore, asked: Asked): Promise<Answer> {
  const { client, token, offline } = settings
  checkToken(asked.headers['proxy-authorization'], token)
  checkForm(asked, pseudonym)
  const resolution = client.resolve(asked.url)
  checkTarget(resolution, ownPorts)
  const isHttp = resolution.plan.mechanism === 'http'
  if (isHttp && !offline) return await forward(asked, resolution, settings, pseudonym)
  if (asked.method !== 'GET' && asked.method !== 'HEAD') {
    throw new Refusal(405, `${resolution.scheme.name} URLs are retrieved by GET and HEAD.`, [['Allow', 'GET, HEAD']])
  }
  const answered = isHttp ? await keptAnswer(asked, client) : await retrieved(asked, resolution, settings)
  return { ...answered, lines: [...answered.lines, viaLine('1.1', pseudonym)] }
}
