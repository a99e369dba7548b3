import type { Network, Peer, Server } from '../network.ts'
import { byLines } from './lines.ts'

/** What a server of FTP has, and how it differs from others. */
export interface FtpSite {
  readonly host: string
  readonly bodies: readonly string[]
  readonly epsv: boolean
  readonly size: boolean
  readonly rest: boolean
  /** What it says behind a data connection that broke; null: nothing. */
  readonly afterCut: string | null
}

/** The port for one transfer, and the client that has come to it. */
interface Passive {
  readonly port: number
  peer: Peer | null
  onPeer: () => void
}

/** A server of FTP: the files 0, 1, ... in the folders / and /d. */
export function ftpServer(network: Network, site: FtpSite): Server {
  let lastPort = 2000
  return (peer) => {
    const waiting: string[] = []
    let [offset, passive]: [number, Passive | null] = [0, null]
    /** The commands behind a transfer wait until it is over. */
    let isBusy = false

    const listen = (): number => {
      const port = ++lastPort
      const mine: Passive = { port, peer: null, onPeer: () => {} }
      passive = mine
      network.servers.set(`${site.host}:${port}`, (data) => {
        network.servers.delete(`${site.host}:${port}`)
        mine.peer = data
        mine.onPeer()
        return () => {}
      })
      return port
    }
    const transfer = (octets: string): void => {
      const here = passive
      passive = null
      if (here === null) return void peer.send('425 no port\r\n')
      peer.send('150 here it comes\r\n')
      isBusy = true
      here.onPeer = () => {
        const isWhole = here.peer?.send(octets) ?? false
        here.peer?.end()
        isBusy = false
        const reply = isWhole ? '226 done' : site.afterCut
        if (reply !== null) peer.send(`${reply}\r\n`)
        for (let line = waiting.shift(); line !== undefined; line = isBusy ? undefined : waiting.shift()) answer(line)
      }
      if (here.peer !== null) here.onPeer()
    }
    const answer = (line: string): void => {
      if (isBusy) return void waiting.push(line)
      const [verb = '', name = ''] = line.split(' ')
      const body = site.bodies[Number(name)]
      const from = offset
      offset = 0
      const port = (): [number, number] => {
        const number = listen()
        return [number >> 8, number & 255]
      }
      const replies: Readonly<Record<string, () => string>> = {
        USER: () => '331 password',
        PASS: () => '230 in',
        CWD: () => (/^(?:d|\/home)$/.test(name) ? '250 there' : '550 no such folder'),
        TYPE: () => '200 type',
        PWD: () => '257 "/home"',
        FEAT: () => '211 none',
        EPSV: () => (site.epsv ? `229 port (|||${listen()}|)` : '500 what'),
        PASV: () => `227 port (10,0,0,1,${port().join()})`,
        SIZE: () => (!site.size ? '500 what' : body === undefined ? '550 no' : `213 ${body.length}`),
        MDTM: () => (body === undefined ? '550 no' : '213 20200102030405'),
        QUIT: () => '221 bye',
      }
      if (verb === 'REST' && site.rest) offset = Number(name)
      if (verb === 'REST') peer.send(site.rest ? '350 go on\r\n' : '502 no\r\n')
      else if (verb === 'RETR' && body !== undefined) transfer(body.slice(from))
      else if (verb === 'RETR') peer.send('550 no such file\r\n')
      else if (verb === 'NLST' || verb === 'MLSD' || verb === 'LIST') listed(verb)
      else peer.send(`${replies[verb]?.() ?? '502 what'}\r\n`)
      if (verb === 'QUIT') peer.end()
    }
    const listed = (verb: string): void => {
      const lines = site.bodies.map((body, number) =>
        verb === 'NLST'
          ? String(number)
          : verb === 'MLSD'
            ? `type=file;size=${body.length};modify=20200102030405; ${number}`
            : `-rw-r--r-- 1 a b ${body.length} Jan  2  2020 ${number}`,
      )
      transfer(lines.map((line) => `${line}\r\n`).join(''))
    }
    peer.send('220 ready\r\n')
    return byLines(answer)
  }
}
