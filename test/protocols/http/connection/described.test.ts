/** A representation takes facts from the header section of its answer, and a request names its target. */
import { expect, describe as group, test } from 'vitest'
import { idleMilliseconds } from '../../../../packages/fetchers/src/protocols/http/connection/idle-time.ts'
import { namedFields } from '../../../../packages/fetchers/src/protocols/http/connection/named-fields.ts'
import { elementsOf } from '../../../../packages/fetchers/src/protocols/http/fields.ts'
import { originForm } from '../../../../packages/fetchers/src/protocols/http/request.ts'
import { describe, ResponseHead, shownFields } from '../../../../packages/fetchers/src/protocols/http/response.ts'

function headOf(fields: Readonly<Record<string, string>>, status = 200, reason = 'OK'): ResponseHead {
  const list = Object.entries(fields)
  return new ResponseHead({ status, reason, version: 'HTTP/1.1', fields: list, named: namedFields(list) })
}

group('the media type and charset', () => {
  test.each([
    ['text/HTML', 'text/html', null],
    ['text/html; charset=UTF-8', 'text/html', 'utf-8'],
    [' text/html ;x=y;\tCharset = "A b"', 'text/html', 'a b'],
    ['text/html;charset=a"b"', 'text/html', 'a'],
    ['text/html;charset="a', 'text/html', null],
    ['text/html;charset=', 'text/html', null],
    ['text/html;x-charset=a', 'text/html', null],
    ['text/html charset=a', null, null],
    ['charset=a', null, null],
    ['text', null, null],
    ['text/a/b', null, null],
    ['text/', null, null],
    ['te xt/a', null, null],
    ['', null, null],
  ])('of %j', (field, mediaType, charset) => {
    for (const _ of [1, 2]) {
      expect(describe(headOf({ 'Content-Type': field }))).toMatchObject({ mediaType, charset })
    }
    expect(describe(headOf({}))).toMatchObject({ mediaType: null, charset: null })
  })
})

group('the size, and how the end of the body is known', () => {
  test.each([
    [200, { 'Content-Length': '7' }, false, 7, 'verified'],
    [200, { 'Content-Length': '9007199254740993' }, false, null, 'eof-only'],
    [204, { 'Content-Length': '7' }, false, 0, 'verified'],
    [205, { 'Content-Length': '7' }, false, 7, 'verified'],
    [200, { 'Transfer-Encoding': 'chunked' }, false, null, 'terminated'],
    [200, {}, true, null, 'terminated'],
    [200, {}, false, null, 'eof-only'],
  ] as const)('of %i, %j, proved %s', (status, fields, provesEnd, size, completeness) => {
    expect(describe(headOf(fields, status), provesEnd)).toMatchObject({ size, completeness })
  })

  test('are those of an answer without a proof, by default', () => {
    expect(describe(headOf({})).completeness).toBe('eof-only')
  })
})

test('a part begins where its field says, and nothing else does', () => {
  const fields = { 'Content-Range': 'bytes 5-6/9' }
  expect([206, 200].map((status) => describe(headOf(fields, status)).offset)).toEqual([5, 0])
  expect(describe(headOf({}, 206)).offset).toBe(0)
})

test('a field that was not sent is none, not even one that each object has', () => {
  const head = headOf({ A: 'b', Empty: '' })
  expect(['a', 'empty', 'toString', 'x'].map((name) => head.field(name))).toEqual(['b', '', null, null])
})

test('an error shows no field that may hold a secret, and no secret in another', () => {
  const fields = { 'X-Auth-Token': 'a', 'Set-Cookie': 'b', Location: 'http://u:p@h/', Plain: 'c' }
  const list = Object.entries(fields)
  const head = { status: 403, reason: '', version: 'HTTP/1.1', fields: list, named: namedFields(list) }
  const hiding = new ResponseHead(head, (octets) => octets.replace('c', '<password>'))
  expect(shownFields(hiding)).toEqual({ 'x-auth-token': '***', location: 'http://u:***@h/', plain: '<password>' })
})

test('the reply is one line of at most 200 characters', () => {
  const replies = [headOf({}, 404, ' N\xF6\n '), headOf({}, 404, ''), headOf({}, 404, 'x'.repeat(300))]
  expect(replies.map(({ reply }) => reply)).toEqual(['404  Nö', '404', `404 ${'x'.repeat(196)}`])
})

test.each([
  [undefined, []],
  ['', []],
  ['gzip, ,BR ', ['gzip', 'br']],
])('the elements of %j', (field, elements) => {
  expect(elementsOf(field)).toEqual(elements)
})

test.each([
  ['/a?b', '/a?b'],
  ['http://h/a?b', '/a?b'],
  ['http://h?b', '/?b'],
  ['A+1.-://u@h:80/a', '/a'],
  ['/a?u=http://h/b', '/a?u=http://h/b'],
])('the target %s asks for %s', (target, path) => {
  expect(originForm(target)).toBe(path)
})

test.each<[number, Readonly<Record<string, string>>, string?]>([
  [4000, {}],
  [4000, { Connection: 'keep-alive, x' }],
  [0, { Connection: 'x, Close ' }],
  [0, { 'Proxy-Connection': 'close' }],
  [4000, { Connection: 'closed', 'Proxy-Connection': 'not close' }],
  [0, {}, 'HTTP/1.0'],
  [4000, { Connection: 'Keep-Alive' }, 'HTTP/1.0'],
  [4000, { 'Proxy-Connection': 'keep-alive' }, 'HTTP/1.0'],
  [0, { Connection: 'keep-alive, close' }, 'HTTP/1.0'],
  [0, { 'Keep-Alive': 'timeout=1' }],
  [0, { 'Keep-Alive': 'timeout=2' }],
  [13_000, { 'Keep-Alive': 'max=9, timeout=  15' }],
  [598_000, { 'Keep-Alive': 'timeout=600' }],
  [600_000, { 'Keep-Alive': 'timeout=99999999' }],
  [4000, { 'Keep-Alive': 'max=9' }],
  [4000, { 'Keep-Alive': 'timeout=x15' }],
])('%i ms is how long a connection may lie idle after %j (%s)', (milliseconds, fields, version = 'HTTP/1.1') => {
  const list = Object.entries(fields)
  const head = { status: 200, reason: '', version, fields: list, named: namedFields(list) }
  expect(idleMilliseconds(head)).toBe(milliseconds)
})
