/**
 * The charsets of iconv-lite that TextDecoder does not know, such as cp437 and UTF-7. The library's entry would bring
 * the tables of East Asian charsets, too, which TextDecoder has.
 */
import internal, { type Codec, type Decoder, type Definition } from 'iconv-lite/encodings/internal.js'
import codecOfOctets from 'iconv-lite/encodings/sbcs-codec.js'
import octetTables from 'iconv-lite/encodings/sbcs-data.js'
import moreOctetTables from 'iconv-lite/encodings/sbcs-data-generated.js'
import utf7 from 'iconv-lite/encodings/utf7.js'
import utf16 from 'iconv-lite/encodings/utf16.js'
import utf32 from 'iconv-lite/encodings/utf32.js'

const modules = [internal, utf32, utf16, utf7, codecOfOctets, octetTables, moreOctetTables]
const definitions: ReadonlyMap<string, Definition> = new Map(modules.flatMap((each) => Object.entries(each)))
const codecs = new Map<string, Codec>()

/** The members of iconv-lite's entry that its codecs call. */
const iconv = { defaultCharUnicode: '\uFFFD', defaultCharSingleByte: '?', getDecoder, decode }

/** Whether there is a charset with this label. */
export function isKnown(label: string): boolean {
  return codecOf(label) !== null
}

/** Decodes octets, without a byte order mark. What is no text of the charset becomes U+FFFD. */
export function decode(octets: Buffer, label: string): string {
  const decoder = getDecoder(label)
  return (decoder.write(octets) + (decoder.end() || '')).replace(/^\uFEFF/, '')
}

function getDecoder(label: string): Decoder {
  const codec = codecOf(label)
  if (codec === null) throw new RangeError(`iconv-lite has no charset ${label}.`)
  return new codec.decoder(undefined, codec)
}

function codecOf(label: string): Codec | null {
  let name = label.replaceAll('-', '')
  let settings: object = { encodingName: name }
  for (let own = name; ; ) {
    const found = codecs.get(own) ?? definitions.get(name)
    if (found === undefined) return null
    if (typeof found === 'string') own = name = found
    else if (typeof found === 'function') {
      const codec = new found(settings, iconv)
      codecs.set(own, codec)
      return codec
    } else if ('decoder' in found) return found
    else {
      settings = { ...found, encodingName: own }
      name = found.type
    }
  }
}
