import type { TftpPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 3617: `tftp://host/file;mode=netascii`. The port is an extension that other clients have as well. */
export const tftp: Scheme = {
  name: 'tftp',
  title: 'Trivial File Transfer Protocol',
  spec: 'RFC 3617',
  mechanism: 'tftp',
  defaultPort: 69,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  lineParts: ['urlPath'],
  sendsFirst: true,
  resolve: tftpPlan,
}

/** The options that the client asks for: RFC 2348, 2349 and 7440. A block of 1428 octets fits in an Ethernet frame. */
const options = 'tsize\x000\0blksize\x001428\0windowsize\x008\0'

function tftpPlan({ urlPath }: Locator, place: Place): TftpPlan {
  const { host, port } = place
  const path = urlPath ?? ''
  const at = path.toLowerCase().lastIndexOf(';mode=')
  const [file, mode] = at === -1 ? [path, 'octet'] : [path.slice(0, at), path.slice(at + 6)]
  const name = mode.toLowerCase()
  if (name !== 'octet' && name !== 'netascii')
    return place.fail('the mode is netascii or octet (RFC 3617 2)', 'urlPath')
  const filename = decodeOctets(file)
  if (filename === '') return place.fail('the name of a file must follow the host', 'urlPath')
  // RFC 1350 5: opcode 1, the name, and the mode.
  const wire = [`\0\x01${filename}\0${name}\0${options}`]
  return {
    mechanism: 'tftp',
    transport: 'udp',
    host,
    port,
    tls: 'none',
    filename,
    mode: name,
    wire: [...wire, acknowledgements],
    unknown,
  }
}

const acknowledgements = '<acknowledgements>'
const unknown = { [acknowledgements]: 'one for each window of blocks: the server tells the size of the file' }
