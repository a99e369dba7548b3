/** The machine on which the sessions run: servers, programs of uri(7), and files. */
import { fileURLToPath } from 'node:url'
import { startFtpServer, startProsperoServer, startServers } from '@retriever/servers'
import { cleanEnv } from '../support/cli/run.ts'
import { fakePrograms } from '../support/programs-in-path.ts'

export const files: string = fileURLToPath(new URL('./files/', import.meta.url))

/** Write what the programs of a Linux system write. */
const programs = {
  man: '[ "$last" = fetching ] && echo "fetching - get what a URL names" || exit 16',
  apropos: 'echo "fetching (1)         - get what a URL names"',
  whatis: 'echo "fetching (1)         - get what a URL names"',
  info: `case "$*" in
*-nThe_first_run*) echo 'info: Cannot find node' >&2; printf 'File: fetching.info,  Node: Top\\n';;
*'-nThe first run'*) printf 'File: fetching.info,  Node: The first run\\n\\nRun it once.\\n';;
*fetching*) printf 'File: fetching.info,  Node: Top\\n\\nThe top of the document.\\n';;
*) printf 'File: dir,  Node: Top\\n\\n* Menu:\\n\\nWords\\n* Fetching: (fetching).  Get what a URL names.\\n';;
esac`,
}

/** Servers by the ports that `retrieve serve` gives them. */
async function start() {
  const ftp = await startFtpServer()
  const [servers, prospero] = await Promise.all([
    startServers({
      http: true,
      gopher: true,
      nntp: true,
      telnet: true,
      wais: true,
      nfs: true,
      tn3270: true,
      ldap: true,
      rtsp: true,
    }),
    startProsperoServer({ ftpPort: ftp.port }),
  ])
  const ports = {
    8080: servers.http.port,
    2121: ftp.port,
    7070: servers.gopher.port,
    1119: servers.nntp.port,
    2323: servers.telnet.port,
    3270: servers.tn3270.port,
    20490: servers.nfs.port,
    1525: prospero.port,
    3890: servers.ldap.port,
    8554: servers.rtsp.port,
    2100: servers.wais.port,
  }
  return { ports, close: () => Promise.all([ftp.close(), servers.close(), prospero.close()]) }
}

export interface Machine extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  /** A line with the ports of the servers that run, and the folder of the files. */
  here(line: string): string
  /** What was printed, with the usual ports. */
  usual(text: string): string
}

export async function startMachine(): Promise<Machine> {
  const { ports, close } = await start()
  const made = await fakePrograms(programs)
  const pairs = Object.entries(ports).map(([usual, port]) => [usual, String(port)] as const)
  const env = {
    PATH: `${made.folder}:${cleanEnv.PATH}`,
    LDAPURI: `ldap://127.0.0.1:${ports[3890]}/`,
    XDG_DATA_HOME: `${files}share`,
    XDG_DATA_DIRS: `${files}share`,
    LANGUAGE: '',
  }
  return {
    env,
    here: (line) => withPorts(line, new Map(pairs)).replaceAll('{files}', files.slice(0, -1)),
    usual: (text) => withPorts(text, new Map(pairs.map(([usual, port]) => [port, usual]))),
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]()
      await close()
    },
  }
}

function withPorts(text: string, ports: ReadonlyMap<string, string>): string {
  return text.replace(/(?<=127\.0\.0\.1[: ])\d+/g, (port) => ports.get(port) ?? port)
}
