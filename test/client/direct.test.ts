/** The scheme of a URL that is written in the program tells the type of its metadata, if nothing stands in between. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type DirectClient,
  type FtpMetadata,
  type HttpMetadata,
  type Policy,
  type Representation,
  type RepresentationOf,
  retrieve,
} from '@retriever/fetchers'
import type { DataMetadata, NntpMetadata } from '@retriever/fetchers/internal'
import { expect, expectTypeOf, test } from 'vitest'

test('the metadata of a data URL have their type without a comparison', async () => {
  const representation = await retrieve('data:text/html;charset=utf-8,x')
  expect(representation.metadata.contentType).toBe('text/html;charset=utf-8')
  expectTypeOf(representation.metadata).toEqualTypeOf<DataMetadata>()
  await using client = createClient({ limits: { maxSize: 9 } })
  const same = await client.retrieve('data:,x')
  expect(same.metadata.contentType).toBe('text/plain;charset=US-ASCII')
})

test('a scheme names its mechanism; the case does not matter', () => {
  expectTypeOf<RepresentationOf<'ftp://h/x'>['metadata']>().toEqualTypeOf<FtpMetadata>()
  expectTypeOf<RepresentationOf<'ftpes://h/x'>['mechanism']>().toEqualTypeOf<'ftp'>()
  expectTypeOf<RepresentationOf<'HTTPS://h/x'>['metadata']>().toEqualTypeOf<HttpMetadata>()
  expectTypeOf<RepresentationOf<'news:a.b'>['metadata']>().toEqualTypeOf<NntpMetadata>()
  expectTypeOf<RepresentationOf<`ftp://${string}/`>['metadata']>().toEqualTypeOf<FtpMetadata>()
})

test('other URLs have the type of any representation', () => {
  expectTypeOf<RepresentationOf<string>>().toEqualTypeOf<Representation>()
  expectTypeOf<RepresentationOf<'x-own://h/x'>>().toEqualTypeOf<Representation>()
  expectTypeOf<RepresentationOf<'www.example.org'>>().toEqualTypeOf<Representation>()
  // Their answers may lead to HTTP.
  expectTypeOf<RepresentationOf<'gemini://h/x'>>().toEqualTypeOf<Representation>()
  expectTypeOf<RepresentationOf<'nfs://h/x'>>().toEqualTypeOf<Representation>()
})

test('a proxy, a gateway, fetchers and schemes of the caller may bring something else', () => {
  const options: ClientOptions = {}
  const url = 'ftp://h/x'
  const policy: Partial<Policy> = {}
  const calls = {
    direct: () => retrieve(url, { head: true, policy: { allowInward: true } }),
    text: (given: string) => retrieve(given),
    parsed: () => retrieve(new URL(url)),
    proxy: () => retrieve(url, { proxy: 'http://p' }),
    gateway: () => retrieve(url, { gateways: { ftp: 'http://g/{url}' } }),
    fetchers: () => retrieve(url, { fetchers: [] }),
    redirects: () => retrieve(url, { policy: { redirectSchemes: ['ftp'] } }),
    policy: () => retrieve(url, { policy }),
  }
  expectTypeOf(calls.direct).returns.resolves.toEqualTypeOf<RepresentationOf<'ftp://h/x'>>()
  const { direct: _, ...others } = calls
  expectTypeOf<ReturnType<(typeof others)[keyof typeof others]>>().toEqualTypeOf<Promise<Representation>>()
  const clients = [() => createClient(options), () => createClient({ proxy: 'http://p' })]
  expectTypeOf(clients).items.returns.toEqualTypeOf<Client>()
  expectTypeOf(() => createClient()).returns.toEqualTypeOf<DirectClient>()
})
