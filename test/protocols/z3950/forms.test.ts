/** Records in the forms that `accept` chooses: MARC as MARCXML and JSON, GRS-1, OPAC. */
import { createClient } from '@retriever/fetchers'
import { startZ3950Server } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { readMarc, subfieldsOf } from '../../../packages/fetchers/src/protocols/z3950/marc.ts'
import { decodeMarc8 } from '../../../packages/fetchers/src/protocols/z3950/marc8.ts'

async function form(path: string, accept?: string) {
  await using server = await startZ3950Server()
  const remarks: string[] = []
  await using client = createClient({
    onEvent: (event) => void (event.type === 'remark' && remarks.push(event.message)),
  })
  const { mediaType, charset, ...rest } = await client.retrieve(
    server.url + path,
    accept === undefined ? {} : { accept },
  )
  void rest
  const representation = await client.retrieve(server.url + path, accept === undefined ? {} : { accept })
  return { mediaType, charset, text: await representation.text(), remarks, received: [...server.received] }
}

describe('MARC', () => {
  test('as MARCXML', async () => {
    const { mediaType, charset, text } = await form('books?elecworld.v30.n19', 'application/marcxml+xml')
    expect([mediaType, charset]).toEqual(['application/marcxml+xml', 'utf-8'])
    expect(text).toContain('<record xmlns="http://www.loc.gov/MARC21/slim">\n  <leader>')
    expect(text).toContain('<subfield code="a">Water and &lt;electricity&gt; &amp; more</subfield>')
  })

  test('as JSON', async () => {
    const { mediaType, text } = await form('books?b2;rs=marc21', 'application/json, */*;q=0.1')
    expect(mediaType).toBe('application/json')
    expect(JSON.parse(text)).toMatchObject({
      fields: [
        { '001': 'b2' },
        { '100': { ind1: '1', ind2: ' ', subfields: [{ a: 'Hugo, Victor' }] } },
        { '245': { subfields: [{ a: 'Les misérables' }] } },
        {},
        {},
        {},
      ],
    })
  })

  test.each(['false directory', 'no marc'])('octets that are no MARC stay as they came: %s', async (name) => {
    const { mediaType, remarks } = await form(`misbehaviour?${encodeURIComponent(name)}`, 'application/json')
    expect(mediaType).toBe('application/octet-stream')
    expect(remarks[0]).toMatch(/The record is no MARC \(.*\), and stays as it came/)
  })

  test('a form that the record cannot have', async () => {
    const { mediaType, remarks } = await form('books?b1;rs=usmarc', 'image/png')
    expect(mediaType).toBe('application/marc')
    expect(remarks[0]).toMatch(/can be had as application\/marc, application\/marcxml\+xml, application\/json/)
  })

  test('accept chooses the syntax where the URL names none', async () => {
    const { mediaType, received } = await form('books?b1', 'application/xml')
    expect([mediaType, received.at(-1)]).toEqual(['application/xml', 'present 1+1 F xml'])
  })

  test('MARC-8: diacritics stand before their letter', () => {
    expect(decodeMarc8('Les mis\xe2erables, \xe8uber, \xa2re, \xb2re')).toBe('Les misérables, über, Øre, øre')
    expect(decodeMarc8('\x1b(NABC\x1b(B abc \x1b$1!"#\x1b(B.')).toBe('\ufffd\ufffd\ufffd abc \ufffd\ufffd\ufffd.')
    expect(decodeMarc8('\xaf\xff\x80')).toBe('\ufffd\ufffd\ufffd')
  })

  test('MARC-8: escapes choose the set of each half', () => {
    expect(decodeMarc8('\x1b)N\xc2 ascii \x1b)!E\xe2e \x1b$)1\xa1\xa1\xa1 a')).toBe(
      '\ufffd ascii é \ufffd\ufffd\ufffd a',
    )
    expect(decodeMarc8('H\x1bb2\x1bsO \x1b(!Eb\x1b(Be')).toBe('H\ufffdO é')
    expect(decodeMarc8('\x88The \x89title')).toBe('The title')
  })

  test('a record in MARC-8', () => {
    const field = '10\x1faL\xe2e\x1e'
    const octets = `00000nam  2200037   4500245${String(field.length).padStart(4, '0')}00000\x1e${field}\x1d`
    const marc = readMarc(Buffer.from(octets, 'latin1'), true)
    expect(subfieldsOf(marc, '245', 'a')).toEqual(['Lé'])
  })

  test('a record in MARC-8 all of whose octets are ASCII', () => {
    const field = '10\x1faA \x1b(NAB\x1b(B end\x1e'
    const octets = `00000nam  2200037   4500245${String(field.length).padStart(4, '0')}00000\x1e${field}\x1d`
    expect(subfieldsOf(readMarc(Buffer.from(octets, 'latin1'), true), '245', 'a')).toEqual(['A \ufffd\ufffd end'])
  })
})

test('fields that lie over each other are no record: sixteen kilobytes would become gigabytes', () => {
  const entries = 3000
  const base = String(24 + 12 * entries + 1).padStart(5, '0')
  const field = '\x1f'.repeat(9999)
  const octets = `99999nam  22${base}   4500${'245999900000'.repeat(entries)}\x1e${field}\x1d`
  expect(() => readMarc(Buffer.from(octets, 'latin1'), true)).toThrow('its fields overlap')
})

describe('syntaxes of ASN.1', () => {
  test('GRS-1', async () => {
    const { mediaType, text } = await form('books?b2;rs=grs-1')
    expect(mediaType).toBe('text/plain')
    expect(text).toBe('(1,14) b2\n(2,1) Les misérables\n(2,2) Hugo, Victor\n(2,3)\n    (3,year) 1862\n')
    const json = await form('books?b2;rs=grs-1', 'application/json')
    expect(JSON.parse(json.text)[3]).toEqual({ type: 2, tag: 3, content: [{ type: 3, tag: 'year', content: 1862 }] })
  })

  test('OPAC', async () => {
    const { mediaType, text } = await form('books?b1;rs=opac')
    expect(mediaType).toBe('application/xml')
    expect(text).toContain('<controlfield tag="001">b1</controlfield>')
    expect(text).toContain('  <callNumber>QA76 .C65</callNumber>\n')
    expect(text).toContain('<availableNow value="1"/>\n    <itemId>item-1</itemId>\n')
    const json = await form('books?b1;rs=opac', 'application/json')
    expect(JSON.parse(json.text).holdings).toEqual([
      {
        typeOfRecord: 'x',
        localLocation: 'Main library',
        callNumber: 'QA76 .C65',
        circulations: [{ availableNow: true, itemId: 'item-1', renewable: false }],
      },
    ])
  })

  test('a deep tree', async () => {
    expect((await form('misbehaviour?deep%20tree;rs=grs-1')).text).toContain('leaf')
  })
})
