import type { Server } from '../network.ts'
import { byLines } from './lines.ts'

/** What a news server has: articles 1, 2, ... in the group `g`, which are also <0@x>, <1@x>, .... */
export interface NntpSite {
  readonly bodies: readonly string[]
  /** Whether it wants a login before anything else. */
  readonly wantsLogin: boolean
}

export function nntpServer({ bodies, wantsLogin }: NntpSite): Server {
  return (peer) => {
    let [isIn, isGroup] = [!wantsLogin, false]
    const article = (named: string): string => {
      const [, id] = /^<(\d+)@x>$/.exec(named) ?? []
      const index = id === undefined ? Number(named) - 1 : Number(id)
      const body = bodies[index]
      if (id === undefined && !isGroup) return '412 no group'
      if (body === undefined) return id === undefined ? '423 no such number' : '430 no such article'
      return `220 ${id === undefined ? index + 1 : 0} <${index}@x>\r\n${body.replace(/^\./gm, '..')}.`
    }
    const answer = (line: string): void => {
      const [verb = '', named = '', secret] = line.split(' ')
      if (verb === 'QUIT') {
        peer.send('205 bye\r\n')
        peer.end()
        return
      }
      if (verb === 'AUTHINFO') {
        isIn ||= named === 'PASS'
        return void peer.send(named === 'PASS' && secret !== undefined ? '281 in\r\n' : '381 password\r\n')
      }
      if (!isIn) return void peer.send('480 log in\r\n')
      if (verb === 'GROUP') isGroup ||= named === 'g'
      const group = named === 'g' ? `211 ${bodies.length} 1 ${bodies.length} g` : '411 no such group'
      peer.send(`${verb === 'GROUP' ? group : verb === 'ARTICLE' ? article(named) : '500 what'}\r\n`)
    }
    peer.send('200 ready\r\n')
    return byLines(answer)
  }
}
